import { readCheckpoint } from "@agent-arena/core/scenario/checkpoint/ReadCheckpoint"
import { writeCheckpoint } from "@agent-arena/core/scenario/checkpoint/WriteCheckpoint"
import type { Scenario } from "@agent-arena/core/scenario/model/Scenario"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { capitalCheck, compileScenario, playText, scenarioOf } from "./plays.ts"

const rich = scenarioOf(`
scenario: rich
entry: a
system: Be brief.
state: { name: Ada }
nodes:
  a:
    prompt: "Hello {{accumulated.name}}"
    contestant: "mock:other"
    agent_identity: guide
    verify: [{ type: contains, expected: hi, weight: 2 }, { type: numeric, expected: 4, params: { tolerance: 1 } }]
    parse: { n: { regex: '\\d+', type: number } }
    update: [{ set: { seen: "{{output}}" } }, "updates.ts:more"]
    tool_filter: { remove: [{ server: web, tool: post }] }
    params: { top_p: 0.5, api_key: SECRET1, headers: { Authorization: SECRET2, note: "key SECRET-VALUE-3 here" } }
    retries: 1
    max_visits: 3
  b: { prompt: "Bye" }
edges:
  - { from: a, to: a, when: { any: [{ parsed.n: { lt: 3 } }, { not: { verify_result: true } }] } }
  - { from: a, to: b, when: [{ verify_result: true }, { field: parsed.n, verify_with: { type: NumericRange, min: 1 } }], handover: transcript_prepend }
  - { from: a, to: b, handover: "handovers.ts:short" }
outcomes:
  deep: { all_of: [{ first_turn: { verify_result: true } }, { not: { any_turn: { node: [a, b], verify_result: false } } }] }
  many: { count_turns: { node: a }, gte: 2 }
  last: { last_turn: { verify_result: true } }
score: { last: 1, deep: 2 }
`)

const options = { name: "saved", date: "2026-01-01T00:00:00Z", secrets: [Redacted.make("SECRET-VALUE-3")] }

const load = (document: unknown) => {
  const read = readCheckpoint(JSON.parse(JSON.stringify(document)))
  if (Result.isFailure(read)) throw read.failure
  return read.success
}

describe("a checkpoint", () => {
  it("is a fixed point: what is loaded is saved as it was", () => {
    const scenarios: ReadonlyArray<Scenario> = [rich, scenarioOf(capitalCheck)]
    const { document } = writeCheckpoint(scenarios, options)
    const { notUnderstood, problems, scenarios: loaded } = load(document)
    assert.deepStrictEqual([notUnderstood, problems], [[], []])
    assert.deepStrictEqual(writeCheckpoint(loaded, options).document, document)
    assert.deepStrictEqual(loaded[1], scenarios[1])
  })

  it("holds no secret, wherever it hid, and says what was left out", () => {
    const { document, warnings } = writeCheckpoint([rich], options)
    const text = JSON.stringify(document)
    for (const secret of ["SECRET1", "SECRET2", "SECRET-VALUE-3"]) assert.notInclude(text, secret)
    assert.isTrue(warnings.some((warning) => warning.includes("api_key")))
    assert.isTrue(warnings.some((warning) => warning.includes("updates.ts:more")))
  })

  it("loads as the very scenario, but for what was left out", () => {
    const [loaded] = load(writeCheckpoint([rich], options).document).scenarios
    const [node, ...others] = rich.nodes
    if (node === undefined) throw new Error("no node")
    const { tool_filter, top_p } = node.params
    const params = { top_p, tool_filter, headers: { note: "key *** here" } }
    assert.deepStrictEqual(loaded, { ...rich, nodes: [{ ...node, params }, ...others] })
  })

  it("leaves out settings that are secrets by their names, and nothing that only sounds like it", () => {
    const scenario = scenarioOf(`
scenario: hiding
entry: token
state: { cookie_count: 3, plea: "{{turns[-1].output}}" }
nodes:
  token:
    prompt: "See https://ada:SECRET-A@db.test/x?api_key=SECRET-B&page=2"
    verify: { type: numeric, expected: 1, params: { auth: { deep: [SECRET-C] }, tolerance: 1 } }
    parse: { password: { regex: x } }
    params:
      extra_kwargs: { OPENAI_API_KEY: SECRET-D, list: [{ name: X-Auth-Token, value: SECRET-E }, { name: accept, value: json }] }
      api_key: "\${env:MY_KEY}"
      token_budget: 100
    metadata: { author: Ada, clientSecret: SECRET-F, "known SECRET-VALUE-3": 1 }
`)
    const { document, warnings } = writeCheckpoint([scenario], options)
    assert.notMatch(JSON.stringify(document), /SECRET/)
    const [loaded] = load(document).scenarios
    const [node] = loaded?.nodes ?? []
    assert.deepStrictEqual(node?.params, {
      extra_kwargs: { list: [{ name: "X-Auth-Token" }, { name: "accept", value: "json" }] },
      api_key: `\${env:MY_KEY}`,
      token_budget: 100
    })
    assert.strictEqual(node?.prompt, "See https://***@db.test/x?api_key=***&page=2")
    assert.deepStrictEqual(node?.metadata, { author: "Ada", "known ***": 1 })
    assert.deepStrictEqual(node?.verify[0]?.params, { tolerance: 1 })
    assert.deepStrictEqual([loaded?.state, Object.keys(node?.parse ?? {})], [scenario.state, ["password"]])
    const left = ["auth", "OPENAI_API_KEY", "list[0].value", "clientSecret"]
    assert.isTrue(left.every((name) => warnings.some((warning) => warning.includes(`.${name} was left out`))))
    assert.strictEqual(warnings.length, left.length)
    if (loaded === undefined) throw new Error("nothing was loaded")
    assert.deepStrictEqual(writeCheckpoint([loaded], options).document, document)
  })

  it("keeps what has no form of its own in such documents exactly", () => {
    const scenario = scenarioOf(`
scenario: exact
entry: a
nodes: { a: { prompt: A }, b: { prompt: B } }
edges:
  - { from: a, to: b, when: { field: output, verify_with: { type: NumericRange, min: 1 } } }
  - { from: a, to: b, when: { any: [{ output: { matches: x } }, "routes.ts:yes"] } }
  - { from: a, to: END }
outcomes:
  two: { all_turns: { node: [a, b], verify_result: true } }
  text: { count_turns: { verify_result: { eq: true } } }
  cross: { cross_turn: { source: 0, source_field: output, target: -1, target_field: output, comparison: contains, normalize: [lowercase] } }
`)
    assert.deepStrictEqual(load(writeCheckpoint([scenario], options).document).scenarios, [scenario])
  })

  it.effect("is played like the scenario it was made from", () =>
    Effect.gen(function* () {
      const scenario = scenarioOf(capitalCheck)
      const [loaded] = load(writeCheckpoint([scenario], options).document).scenarios
      if (loaded === undefined) throw new Error("nothing was loaded")
      assert.strictEqual(compileScenario(loaded).hash, compileScenario(scenario).hash)
      assert.strictEqual((yield* playText(capitalCheck, ["It is Canberra.", "not Sydney"])).score, 1)
    })
  )
})

describe("a document of another program", () => {
  const check = (expected: unknown) => ({
    type: "state_check",
    field: "verify_result",
    expected,
    verify_with: { type: "BooleanMatch" }
  })
  const foreign = {
    "@type": "DataFeed",
    name: "other",
    hasPart: [
      {
        "@type": "karenina:Scenario",
        name: "foreign",
        entryNode: "a",
        nodes: {
          a: {
            "@type": "karenina:ScenarioNode",
            nodeId: "a",
            question: {
              "@type": "Question",
              text: "What?",
              acceptedAnswer: { "@type": "Answer", text: "That" },
              hasPart: [{ "@type": "SoftwareSourceCode", text: "import os; os.system('x')" }]
            },
            stateUpdateSource: "lambda acc, p: acc",
            modelOverride: { answering_model: { id: "m", model_name: "gpt-x", endpoint_api_key: "SECRET9" } },
            toolFilter: { remove: [{ server: "files", tool: null }] }
          },
          b: { nodeId: "b", question: { text: "And?" } }
        },
        edges: [
          { source: "a", target: "b", condition: check(true), handover: "transcript_append" },
          { source: "a", target: "b", conditionSource: "lambda s: True" },
          { source: "a", target: "__end__" }
        ],
        outcomeCriteria: [
          {
            name: "ok",
            check: {
              type: "TurnCheck",
              scope: { type: "last_turn" },
              field: "verify_result",
              expected: true,
              verify_with: { type: "BooleanMatch" }
            }
          },
          { name: "own", evaluateSource: "lambda r: 1" }
        ]
      }
    ]
  }

  it("is loaded as far as it is data, with a list of what was not understood", () => {
    const { notUnderstood, problems, scenarios } = load(foreign)
    const [scenario] = scenarios
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(scenario?.nodes[0]?.contestant, "gpt-x")
    assert.deepStrictEqual(scenario?.nodes[0]?.params, { tool_filter: { remove: [{ server: "files" }] } })
    assert.strictEqual(scenario?.edges[0]?.handover, "transcript_append")
    // What cannot be evaluated must not be taken for "always".
    assert.deepStrictEqual(scenario?.edges[1]?.when, { _tag: "Any", conditions: [] })
    assert.deepStrictEqual(
      scenario?.outcomes.map(({ name }) => name),
      ["ok"]
    )
    for (const word of ["template", "state update", "condition", 'outcome "own"']) {
      assert.isTrue(
        notUnderstood.some((one) => one.includes(word)),
        word
      )
    }
    assert.notInclude(JSON.stringify(scenario), "SECRET9")
  })

  /** As a program writes it that puts null where nothing is set, and class names for scopes. */
  const written = {
    "@context": { "@vocab": "https://schema.org/" },
    "@type": "DataFeed",
    "@id": "urn:x",
    version: "0.1.0",
    rating: [{ name: "tone" }],
    keywords: ["medicine"],
    additionalProperty: [
      { "@type": "PropertyValue", name: "format_version", value: "3.0.0-jsonld" },
      { "@type": "PropertyValue", name: "benchmark_type", value: "scenario" },
      { "@type": "PropertyValue", name: "owner", value: "someone" }
    ],
    hasPart: [
      {
        "@type": "karenina:Scenario",
        name: "ranges",
        description: null,
        entryNode: "a",
        license: "MIT",
        nodes: {
          a: {
            nodeId: "a",
            question: { text: "cut…", acceptedAnswer: { text: "4" }, hasPart: [] },
            questionData: {
              id: "0123",
              question: "What is 2 + 2, in full?",
              raw_answer: "4",
              few_shot_examples: [{ question: "1 + 1?", answer: "2" }],
              question_rubric: { traits: 1 },
              keywords: [],
              author: null
            },
            toolFilter: { remove: "all" },
            modelOverride: {
              answering_model: {
                id: "own",
                model_name: "gpt-x",
                interface: "openai_endpoint",
                temperature: 0.1,
                max_tokens: 64,
                extra_kwargs: { api_key: "SECRET-G" },
                anthropic_api_key: null
              },
              parsing_model: null
            },
            stateUpdateSource: null
          },
          b: { nodeId: "b", question: { text: "And?" } }
        },
        edges: [
          {
            source: "a",
            target: "b",
            condition: [
              {
                type: "state_check",
                field: "node_visits.a",
                expected: null,
                verify_with: { type: "NumericRange", min: 1, max: null, exclusive_min: false, exclusive_max: false }
              }
            ]
          },
          { source: "a", target: "b", condition: check(true), conditionSource: "lambda s: False" },
          { source: "a", target: "__end__", priority: 3 }
        ],
        outcomeCriteria: [
          { name: "count", check: { type: "CountTurns", node_id: ["a", "b"], verify_result: null } },
          {
            name: "some",
            check: { ...check(true), type: "TurnCheck", scope: { type: "AnyTurn", node_id: ["a"] } }
          },
          { name: "odd", check: { ...check(true), type: "TurnCheck", scope: { type: "AnyTurn", node_id: 3 } } },
          { name: "odder", check: { type: "FirstMatchIndex", node_id: null, verify_result: "yes" } }
        ],
        metadata: {}
      }
    ]
  }

  it("is read with nulls for what is not set, and everything else in it is listed", () => {
    const { notUnderstood, problems, scenarios } = load(written)
    const [scenario] = scenarios
    const [node] = scenario?.nodes ?? []
    assert.deepInclude(node, {
      prompt: "What is 2 + 2, in full?",
      contestant: "gpt-x",
      temperature: 0.1,
      maxTokens: 64
    })
    assert.deepStrictEqual(scenario?.edges[0]?.when, {
      _tag: "All",
      conditions: [
        {
          _tag: "Check",
          field: "node_visits.a",
          test: {
            _tag: "Primitive",
            primitive: { type: "NumericRange", min: 1, exclusive_min: false, exclusive_max: false },
            expected: null
          }
        }
      ]
    })
    assert.deepStrictEqual(scenario?.edges[1]?.when, { _tag: "Any", conditions: [] })
    assert.deepStrictEqual(
      scenario?.outcomes.map(({ name }) => name),
      ["count", "some"]
    )
    assert.deepStrictEqual(problems, [])
    const of = 'scenario "ranges", '
    assert.sameMembers(notUnderstood.toSorted(), [
      "document: keywords",
      "document: the global rubric",
      "document: the property owner",
      'scenario "ranges": license',
      `${of}node "a": the accepted answer, which only a scorer under verify can expect`,
      `${of}node "a": questionData.few_shot_examples`,
      `${of}node "a": the rubric`,
      `${of}node "a": toolFilter`,
      `${of}node "a", modelOverride.answering_model: interface`,
      `${of}node "a", modelOverride.answering_model: extra_kwargs`,
      `${of}edge a -> b: the condition, which is source text: the edge is never followed`,
      `${of}edge a -> __end__: priority`,
      `${of}outcome "odd": its check`,
      `${of}outcome "odder": its check`
    ])
    assert.notInclude(JSON.stringify([scenarios, notUnderstood]), "SECRET-G")
  })

  it("with two scenarios of one name, or of a shape that is none, is told or refused", () => {
    const [part] = written.hasPart
    assert.deepStrictEqual(load({ ...written, hasPart: [part, part] }).problems, ['there are two scenarios "ranges"'])
    for (const [odd, words] of [
      ["text", "scenario 1: it is no mapping"],
      [{ ...part, nodes: [] }, "scenario 1: nodes is no mapping"],
      [{ ...part, edges: { a: "b" } }, "scenario 1: edges is no list"],
      [{ ...part, name: "" }, "scenario 1: "]
    ] as const) {
      const read = readCheckpoint({ ...written, hasPart: [odd] })
      assert.isTrue(Result.isFailure(read) && read.failure.message.includes(words), words)
    }
  })

  it("that holds no scenarios is refused", () => {
    for (const document of [null, [], { "@type": "DataFeed" }, { ...foreign, dataFeedElement: [{}] }]) {
      assert.isTrue(Result.isFailure(readCheckpoint(document)))
    }
  })
})
