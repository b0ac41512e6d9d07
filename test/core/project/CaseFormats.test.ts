import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Files, load, models, problems } from "./folders.ts"

const withCases = (files: Files) => load({ "config.yaml": models, "tests.yaml": "[]", ...files })
const wrongCases = (files: Files) => problems({ "config.yaml": models, ...files })

describe("finding cases", () => {
  const one = (id: string) => `- {id: ${id}, input: x}\n`

  it.effect("root files that begin with test, then all under tests/, sorted; hidden ones and others left out", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.yaml": one("b"),
        "Test_a.yml": one("a"),
        "other.yaml": one("no"),
        "tests/z.yaml": one("d"),
        "tests/deep/er/x.jsonl": '{"id": "c", "input": "x"}',
        "tests/.hidden.yaml": one("no"),
        "tests/readme.md": "no",
        "tests/node_modules/p/x.yaml": one("no")
      })
      assert.deepStrictEqual(
        cases.map(({ id }) => id),
        ["a", "b", "c", "d"]
      )
    })
  )

  it.effect("named files, folders and globs; each file once, the first time", () =>
    Effect.gen(function* () {
      const files = { "a/1.yaml": one("a1"), "a/2.yaml": one("a2"), "b/3.yaml": one("b3"), "tests.yaml": one("no") }
      const ids = (tests: string) =>
        Effect.map(load({ ...files, "config.yaml": `${models}tests: ${tests}\n` }), ({ cases }) =>
          cases.map(({ id }) => id)
        )
      assert.deepStrictEqual(yield* ids("[a/2.yaml, a, ./a/1.yaml]"), ["a2", "a1"])
      assert.deepStrictEqual(yield* ids("b/3.yaml"), ["b3"])
      assert.deepStrictEqual(yield* ids("{paths: ['**/[23].yaml']}"), ["a2", "b3"])
      assert.deepStrictEqual(yield* ids("['?']"), ["a1", "a2", "b3"])
    })
  )

  it.effect("refuses patterns that could be expanded for ever, leaves node_modules alone", () =>
    Effect.gen(function* () {
      const config = `${models}tests: ['{a,b}{a,b}{a,b}{a,b}{a,b}.yaml', '{1..99999999}.yaml', '**/**/**/**/**/x']\n`
      assert.deepStrictEqual(yield* problems({ "config.yaml": config }), [
        'config.yaml:2:9  "{a,b}{a,b}{a,b}{a,b}{a,b}.yaml": too many braces or stars for one pattern',
        'config.yaml:2:43  "{1..99999999}.yaml": too many braces or stars for one pattern',
        'config.yaml:2:65  "**/**/**/**/**/x": too many braces or stars for one pattern'
      ])
      const project = yield* load({
        "config.yaml": `${models}tests: ['**/t*.yaml']\n`,
        "tests.yaml": one("a"),
        "deep/t.yaml": one("b"),
        "node_modules/p/t.yaml": one("no")
      })
      assert.deepStrictEqual(
        project.cases.map(({ id }) => id as string),
        ["b", "a"]
      )
    })
  )

  it.effect("says what cannot be found", () =>
    Effect.gen(function* () {
      const config = `${models}tests: [missing.yaml, '*.jsonl', config.yaml/x, empty, notes.txt, test.yaml]\n`
      assert.deepStrictEqual(yield* problems({ "config.yaml": config, "empty/x.txt": "", "notes.txt": "" }), [
        'config.yaml:2:9  "missing.yaml": there is no such file or folder (present: config.yaml, empty, tests.yaml)',
        'config.yaml:2:23  "*.jsonl": no case file matches',
        'config.yaml:2:34  "config.yaml/x": a part of its path is not a folder',
        'config.yaml:2:49  "empty": the folder holds no case file',
        'config.yaml:2:56  "notes.txt": not a case file (case files are yaml, yml, json, jsonl, ndjson, csv, tsv)',
        'config.yaml:2:67  "test.yaml": there is no such file or folder (did you mean "tests.yaml"?)'
      ])
    })
  )

  it.effect("says when there are none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problems({ "config.yaml": models, "tests.yaml": "[]" }), [
        "config.yaml:1:1  there is no case in the case files (tests.yaml)"
      ])
    })
  )
})

describe("JSON lines", () => {
  it.effect("skip blank lines and comments, and count the others", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.jsonl": '\ufeff// first\n\n  {"input": "a"}\r\n{"input": "b", "skip": true}\n   // no\n{"input": "c"}'
      })
      assert.deepStrictEqual(
        cases.map(({ id, position }) => [id as string, position.line, position.column]),
        [
          ["tests-001", 3, 3],
          ["tests-003", 6, 1]
        ]
      )
    })
  )

  it.effect("say what is wrong and where, line by line", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* wrongCases({
          "tests.yaml": "- {id: other, input: x}\n",
          "tests.jsonl":
            '{"input": "a", "weight": "2"}\n{"input": "b"\n[1]\n{"input": 1, "input": 2}\n{"input": "c", "wieght": 1}'
        }),
        [
          'tests.jsonl:1:26  case "tests-001": weight: expected a number >= 0, got "2" (remove the quotes)',
          'tests.jsonl:2:14  not valid JSON: expected "," or "}", got the end of the text',
          "tests.jsonl:3:1  case 3: expected a mapping, got a list",
          'tests.jsonl:4:14  duplicate key "input"',
          'tests.jsonl:5:16  case "tests-005": unknown key "wieght" (did you mean "weight"?)'
        ]
      )
    })
  )
})

describe("CSV and TSV", () => {
  it.effect("quoted line breaks, doubled quotes, CR LF, BOM, empty cells and blank lines", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({
        "tests.csv":
          '\ufeffid,input,reference,tags,weight,max_tokens,temperature,metadata.a.b,params.tol,params.mode,skip\r\n007,"two\nlines, ""quoted""",1.50,a; b ;,2,10,0.5,3,0.1,any,\r\n\r\nx,é,,,,,,,,,TRUE\r\ny,ü,,,,,,,,"[1, 2]",false\r\n'
      })
      const [first, second] = cases
      assert.strictEqual(first?.id, "007")
      assert.deepStrictEqual(first?.messages, [{ role: "user", content: 'two\nlines, "quoted"' }])
      assert.strictEqual(first?.reference, "1.50")
      assert.deepStrictEqual(first?.tags, ["a", "b"])
      assert.deepStrictEqual([first?.weight, first?.maxTokens, first?.temperature], [2, 10, 0.5])
      assert.deepStrictEqual(first?.metadata, { "a.b": "3" })
      assert.deepStrictEqual(first?.scorers[0].params, { tol: 0.1, mode: "any" })
      assert.strictEqual(first?.position.line, 2)
      assert.strictEqual(second?.id, "y")
      assert.isFalse("reference" in (second ?? {}))
      assert.deepStrictEqual(second?.scorers[0].params, { mode: [1, 2] })
      assert.strictEqual(second?.position.line, 6)
    })
  )

  it.effect("tabs separate in TSV; ids are counted", () =>
    Effect.gen(function* () {
      const { cases } = yield* withCases({ "tests.tsv": "question\tanswer\na, b\tc\nd\te\n" })
      assert.deepStrictEqual(
        cases.map(({ id, messages, reference }) => [id, messages[0].content, reference]),
        [
          ["tests-001", "a, b", "c"],
          ["tests-002", "d", "e"]
        ]
      )
    })
  )

  it.effect("point at the cell that is wrong", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* wrongCases({
          "tests.csv": 'id,input,wieght,weight,id,messages,\na,"x\ny",1,heavy,,,\nb,z\nc,,,0,,,\n'
        }),
        [
          'tests.csv:1:10  unknown column "wieght" (did you mean "weight"?)',
          'tests.csv:1:24  duplicate column "id"',
          'tests.csv:1:27  unknown column "messages" (use a YAML or JSONL file for it)',
          "tests.csv:1:36  a column without a name",
          'tests.csv:3:6  case "a": weight: expected a number >= 0, got "heavy"',
          "tests.csv:4:1  the row has 2 cells, the header has 7",
          'tests.csv:5:1  case "c": input is missing (give one of input, prompt, question, messages, text)'
        ]
      )
    })
  )

  it.effect("say why a file is not CSV", () =>
    Effect.gen(function* () {
      const files = {
        "tests/a.csv": 'input\nä\n"b',
        "tests/b.csv": 'input\na"b\n',
        "tests/c.csv": 'input\n"a"b\n',
        "tests/d.csv": ""
      }
      assert.deepStrictEqual(yield* wrongCases(files), [
        "tests/a.csv:3:1  not valid CSV: a quotation mark is not closed (quotes inside a quoted cell are doubled)",
        "tests/b.csv:2:1  not valid CSV: a quotation mark inside a cell that is not quoted (quote the whole cell, doubling quotes inside it)",
        "tests/c.csv:2:1  not valid CSV: text after a closing quotation mark (quotes inside a quoted cell are doubled)",
        "tests/d.csv:1:1  the file is empty (the first line names the columns: id,input,reference)"
      ])
    })
  )
})
