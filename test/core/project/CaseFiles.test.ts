import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Files, load, models, problems } from "./folders.ts"

const withCases = (files: Files) => load({ "config.yaml": models, "tests.yaml": "[]", ...files })
const wrongCases = (files: Files) => problems({ "config.yaml": models, ...files })

describe("a case", () => {
  it.effect("has all its names", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml": `
- {id: a, input: i, reference: r, eval_type: contains, context: c, params: {x: 1}}
- {name: b, prompt: i, expected: r, evaluator: contains, system: c, options: {x: 1}}
- {id: c, question: i, answer: r, scorer: contains, system_prompt: c, params: {x: 1}}
- {id: d, messages: [{role: user, content: i}], target: r, type: contains, instructions: c, params: {x: 1}}
- {id: e, text: i, gold: r, type: contains, instructions: c, params: {x: 1}}
`
      })
      assert.deepStrictEqual(
        cases.map(({ id }) => id),
        ["a", "b", "c", "d", "e"]
      )
      for (const { messages, reference, scorers, system } of cases) {
        assert.deepStrictEqual(messages, [{ role: "user", content: "i" }])
        assert.strictEqual(reference, "r")
        assert.strictEqual(system, "c")
        assert.deepStrictEqual([scorers[0].type, scorers[0].weight, scorers[0].params], ["contains", 1, { x: 1 }])
      }
    })
  )

  it.effect("has defaults for what it does not say", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({ "tests.yaml": "- {input: hi}\n" })
      const { position, scorers, ...rest } = cases[0] ?? assert.fail("no case")
      assert.deepStrictEqual(rest as unknown, {
        id: "tests-001",
        messages: [{ role: "user", content: "hi" }],
        system: null,
        tags: [],
        weight: 1,
        maxTokens: null,
        temperature: null,
        metadata: {}
      })
      assert.strictEqual(scorers[0].type, "exact_match")
      assert.deepStrictEqual([position.line, position.column], [1, 3])
    })
  )

  it.effect("null is no reference; 0, false, empty text and empty list are", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.jsonl": [null, 0, false, "", []].map((reference) => JSON.stringify({ input: "x", reference })).join("\n")
      })
      assert.deepStrictEqual(
        cases.map((testCase) => ("reference" in testCase ? testCase.reference : "none")),
        ["none", 0, false, "", []]
      )
    })
  )

  it.effect("numbers and booleans as input and id are the text that is written", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml": "- {id: 007, input: 1.50}\n- id: 0x1F\n  input: true\n",
        "tests.jsonl": '{"id": 1.0, "input": 2.50}'
      })
      assert.deepStrictEqual(
        cases.map(({ id, messages }) => [id, messages[0].content]),
        [
          ["1.0", "2.50"],
          ["007", "1.50"],
          ["0x1F", "true"]
        ]
      )
    })
  )

  it.effect("numbers that JavaScript cannot hold stay text; dates and yes are text", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml":
          "- {input: x, reference: 12345678901234567890}\n- {input: x, reference: 2024-01-31}\n- {input: x, reference: yes}\n",
        "tests.jsonl": '{"id": "j", "input": "x", "reference": [12345678901234567890, 9007199254740991, 1.5e30]}'
      })
      assert.deepStrictEqual(
        cases.map(({ reference }) => reference),
        [["12345678901234567890", 9007199254740991, 1.5e30], "12345678901234567890", "2024-01-31", "yes"]
      )
    })
  )

  it.effect("conversations with parts", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml": `
- id: seen
  messages:
    - {role: system, content: Look.}
    - role: user
      content:
        - {type: text, text: What is this?}
        - {type: image, path: cat.png, media_type: image/png}
        - {type: file, url: "https://example.org/a.pdf"}
`,
        "cat.png": ""
      })
      assert.deepStrictEqual(cases[0]?.messages, [
        { role: "system", content: "Look." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", path: "cat.png", mediaType: "image/png" },
            { type: "file", url: "https://example.org/a.pdf" }
          ]
        }
      ])
    })
  )

  it.effect("several scorers: options of the project under those of the case under their own", () =>
    Effect.gen(function* () {
      const { cases } = yield* load({
        "config.yaml": `${models}scorers: {default: numeric, options: {contains: {mode: any, a: 1}, regex: {flags: i}}}\n`,
        "tests.yaml": `
- input: x
  params: {a: 2}
  scorers:
    - {type: contains, weight: 2, params: {b: 3}}
    - regex
    - {type: other, options: {a: 4}}
- {input: y}
`
      })
      assert.deepStrictEqual(
        cases[0]?.scorers.map(({ type, weight, params, position }) => [type, weight, params, position.line]),
        [
          ["contains", 2, { mode: "any", a: 2, b: 3 }, 5],
          ["regex", 1, { flags: "i", a: 2 }, 6],
          ["other", 1, { a: 4 }, 7]
        ]
      )
      assert.strictEqual(cases[1]?.scorers[0].type, "numeric")
    })
  )

  it.effect("a response format and everything else", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml":
          "- {input: x, response_format: {type: object}, max_tokens: 5, temperature: 0.5, metadata: {a: [1]}, tags: one, weight: 0}\n"
      })
      const [testCase] = cases
      assert.deepStrictEqual(testCase?.responseFormat, { type: "object" })
      assert.deepStrictEqual(testCase?.metadata, { a: [1] })
      assert.deepStrictEqual([testCase?.maxTokens, testCase?.temperature, testCase?.weight], [5, 0.5, 0])
      assert.deepStrictEqual(testCase?.tags, ["one"])
    })
  )
})

describe("the defaults of a file", () => {
  it.effect("are under each case, whatever name a setting has", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml": `
defaults: {eval_type: contains, params: {a: 1}, tags: [d], weight: 2, system: s, max_tokens: 7}
cases:
  - {input: x}
  - {input: x, scorer: regex, options: {b: 2}, tags: [own], context: own, max_tokens: 0}
  - {input: x, scorers: [numeric]}
`
      })
      assert.deepStrictEqual(
        cases.map(({ scorers, tags, weight, system, maxTokens }) => [
          scorers[0].type,
          scorers[0].params,
          tags,
          weight,
          system,
          maxTokens
        ]),
        [
          ["contains", { a: 1 }, ["d"], 2, "s", 7],
          ["regex", { b: 2 }, ["own"], 2, "own", null],
          ["numeric", { a: 1 }, ["d"], 2, "s", 7]
        ]
      )
    })
  )

  it.effect("may stand after the list, with merge keys and anchors inside", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml":
          "test_cases:\n- &first {id: a, input: x, tags: [t]}\n- <<: *first\n  id: b\n# the end\ndefaults: {weight: 3}\n"
      })
      assert.deepStrictEqual(
        cases.map(({ id, tags, weight, position }) => [id as string, tags, weight, position.line]),
        [
          ["a", ["t"], 3, 2],
          ["b", ["t"], 3, 3]
        ]
      )
    })
  )
})

describe("what is wrong with cases", () => {
  it.effect("in YAML, plain and not", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* wrongCases({
          "tests.yaml": `
tests:
  - id: a
    input: x
    wieght: 2
  - {id: b, input: x, tags: {a: 1}, temperature: -1}
  - id: c
    prompt: x
    question: y
  - just text
  - id: d
    messages: [{role: usr, content: x}, {role: user}]
  - id: e
    messages: []
  - id: f
    input: x
    eval_type: contains
    scorers: [regex, {type: a, weight: 0}]
  - id: g
    messages: [{role: user, content: [{type: image}, {type: text}]}]
`
        }),
        [
          'tests.yaml:5:5  case "a": unknown key "wieght" (did you mean "weight"?)',
          'tests.yaml:6:29  case "b": tags: expected a text or a list of texts, got a mapping',
          'tests.yaml:6:50  case "b": temperature: expected a number >= 0, got -1',
          'tests.yaml:9:5  case "c": "question" and "prompt" are two names of one setting, here with different values (keep one of them)',
          'tests.yaml:10:5  case 4: expected a mapping, got "just text"',
          'tests.yaml:12:23  case "d": messages[0].role: expected one of system, user, assistant, got "usr" (did you mean "user"?)',
          'tests.yaml:12:41  case "d": messages[1].content is missing',
          'tests.yaml:14:15  case "e": expected at least one message, got an empty list',
          'tests.yaml:18:14  case "f": "scorers" and "eval_type" cannot be given together',
          'tests.yaml:18:40  case "f": scorers[1].weight: expected a number > 0, got 0',
          'tests.yaml:20:39  case "g": a part with type: image needs path or url',
          'tests.yaml:20:54  case "g": a part with type: text needs text'
        ]
      )
    })
  )

  it.effect("files that messages show must exist beside the case file", () =>
    Effect.gen(function* () {
      const part = (path: string) => `{type: image, path: ${path}}`
      const tests = `- {id: a, input: [{role: user, content: [${part("there.png")}, ${part("gone.png")}, ${part(".")}]}]}\n`
      const files = { "tests/x/a.yaml": tests, "tests/x/there.png": "", "gone.png": "", "tests.yaml": "- {input: x}\n" }
      assert.deepStrictEqual(yield* wrongCases(files), [
        'tests/x/a.yaml:1:3  case "a": "tests/x/gone.png": there is no such file or folder',
        'tests/x/a.yaml:1:3  case "a": "tests/x": it is not a file'
      ])
    })
  )

  it.effect("files that messages show are found from the folder of the project, wherever their case stands", () =>
    Effect.gen(function* () {
      const tests = (path: string) => `- {input: [{role: user, content: [{type: image, path: ${path}}]}]}\n`
      const { cases, root } = yield* withCases({
        "tests.yaml": tests("pictures/cat.png"),
        "tests/x/a.yaml": tests("there.png"),
        "tests/y/b.yaml": tests("../x/there.png"),
        "tests/x/there.png": "",
        "pictures/cat.png": ""
      })
      const shown = cases.flatMap(({ messages }) =>
        messages.flatMap(({ content }) =>
          typeof content === "string" ? [] : content.flatMap((part) => (part.type === "image" ? [part.path ?? ""] : []))
        )
      )
      assert.deepStrictEqual(shown, ["pictures/cat.png", "tests/x/there.png", "tests/x/there.png"])
      for (const path of shown) assert.isTrue(existsSync(join(root, path)), path)
    })
  )

  it.effect("in the frame of a file", () =>
    Effect.gen(function* () {
      const files = {
        "tests/a.yaml": "defaults: {wieght: 1}\ntests: []\ncases: []\n",
        "tests/b.yaml": "tets: []\n",
        "tests/c.yaml": "just text\n",
        "tests/d.yaml": "defaults: {}\n",
        "tests/e.json": '{"cases": {"a": 1}}'
      }
      assert.deepStrictEqual(yield* wrongCases(files), [
        'tests/a.yaml:1:12  unknown key "wieght" (did you mean "weight"?)',
        'tests/a.yaml:3:1  "cases" and "tests" are two names of one list (keep one of them)',
        'tests/b.yaml:1:1  unknown key "tets" (did you mean "tests"?)',
        'tests/c.yaml:1:1  expected a list of cases, or a mapping with tests, got "just text"',
        "tests/d.yaml:1:1  there is no list of cases (put it under tests)",
        "tests/e.json:1:11  cases: expected a list of cases, got a mapping"
      ])
    })
  )

  it.effect("ids that two files share; defaults that contradict themselves", () =>
    Effect.gen(function* () {
      const files = {
        "tests.yaml": "- {id: a, input: x}\n",
        "tests/b.json": '[{"id": "b", "input": "y"},\n {"id": "a", "input": "x"}]',
        "tests/bb.jsonl": '{"id": "b", "input": "y"}',
        "tests/c.yaml": "defaults: {scorer: a, type: b}\ntests: [{input: x}]\n"
      }
      assert.deepStrictEqual(yield* wrongCases(files), [
        'tests/b.json:2:2  case "a": duplicate id, first defined at tests.yaml:1:3',
        'tests/bb.jsonl:1:1  case "b": duplicate id, first defined at tests/b.json:1:2',
        'tests/c.yaml:1:23  "type" and "scorer" are two names of one setting, here with different values (keep one of them)'
      ])
    })
  )
})
