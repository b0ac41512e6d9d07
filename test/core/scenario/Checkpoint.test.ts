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

  it("that holds no scenarios is refused", () => {
    for (const document of [null, [], { "@type": "DataFeed" }, { ...foreign, dataFeedElement: [{}] }]) {
      assert.isTrue(Result.isFailure(readCheckpoint(document)))
    }
  })
})
