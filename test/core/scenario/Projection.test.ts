import { unknownUsage } from "@agent-arena/core/domain/Generation"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play } from "@agent-arena/core/scenario/play/Play"
import { type PlainAnswer, questionOf } from "@agent-arena/core/scenario/replay/PlainAnswers"
import { ScenarioProjection } from "@agent-arena/core/scenario/replay/Projection"
import type { ReplayStore } from "@agent-arena/core/scenario/replay/ReplayStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { capitalCheck, compileScenario, scenarioOf, verdicts } from "./plays.ts"

const capital = scenarioOf(capitalCheck)
const question = "What is the capital of Australia?"

const plain = (contestant: string, output: string, fields: Partial<PlainAnswer> = {}): PlainAnswer => ({
  caseId: "capital",
  question,
  contestant,
  trial: 1,
  entry: { output, toolCalls: [], usage: unknownUsage, costUsd: 0.25, latencyMs: 12, verdicts: [] },
  ...fields
})

const project = (answers: ReadonlyArray<PlainAnswer>, nodes: ReadonlyArray<string>, contestants = ["ans"]) => {
  const projection = new ScenarioProjection([capital], contestants)
  Result.getOrThrow(projection.add(answers, { nodes }))
  return projection
}

const storeOf = (projection: ScenarioProjection): ReplayStore => Result.getOrThrow(projection.build())

describe("answers of ordinary cases at nodes of a scenario", () => {
  it.effect("are played instead of asking, verified by the node, for what they cost then", () =>
    Effect.gen(function* () {
      const replay = storeOf(project([plain("ans", "It is Canberra.")], ["ask"]))
      assert.strictEqual(replay.missPolicy, "strict")
      const strict = yield* play(
        compileScenario(capital),
        plainContext({
          scenario: capital.name,
          contestant: "ans",
          replicate: 3,
          replay,
          respond: () => Effect.die("asked")
        })
      )
      assert.deepStrictEqual([strict.status, strict.path, strict.failure?.node], ["error", ["ask", "press"], "press"])
      assert.strictEqual(verdicts(strict.turns), "T -")
      const [first] = strict.turns
      assert.deepStrictEqual([first?.source, first?.costUsd, first?.latencyMs], ["replay", 0.25, 12])
    })
  )

  it("hold for any visit and any replicate, of the node's own contestant or of each under test", () => {
    const own = scenarioOf(`
scenario: own
entry: a
nodes: { a: { prompt: "${question}", contestant: other }, b: { prompt: "${question}" } }
edges: [{ from: a, to: b }]
`)
    const projection = new ScenarioProjection([own], ["x", "y"])
    Result.getOrThrow(projection.add([plain("x", "X"), plain("y", "Y"), plain("other", "O")], { nodes: ["a", "b"] }))
    const places = storeOf(projection).entries.map(({ entry, key }) => [
      key.node,
      key.contestant,
      key.visit,
      key.replicate,
      entry.output
    ])
    assert.deepStrictEqual(places, [
      ["a", "other", null, null, "O"],
      ["b", "x", null, null, "X"],
      ["b", "y", null, null, "Y"]
    ])
    assert.deepStrictEqual(projection.report().orphans, [])
  })

  it("that nobody takes, and nodes without one, are told with the reason", () => {
    const templated = scenarioOf(`
scenario: templated
entry: a
nodes: { a: { prompt: "Hello {{accumulated.name}}" } }
state: { name: Ada }
`)
    const projection = new ScenarioProjection([capital, templated], ["ans"])
    const answers = [plain("other", "It is Canberra."), plain("ans", "4", { caseId: "sum", question: "2 + 2?" })]
    Result.getOrThrow(projection.add(answers, { nodes: ["ask", "nowhere"], scenarios: ["capital-check", "gone"] }))
    Result.getOrThrow(projection.add([], { nodes: ["a"], scenarios: ["templated"] }))
    const { orphans, unmatched } = projection.report()
    assert.deepStrictEqual(
      unmatched.map(({ contestant, node, reason, scenario }) => [scenario, node, contestant, reason]),
      [
        ["capital-check", "nowhere", null, "missing_node"],
        ["gone", "ask", null, "missing_scenario"],
        ["gone", "nowhere", null, "missing_scenario"],
        ["capital-check", "ask", "ans", "no_recorded_answer"],
        ["templated", "a", null, "prompt_is_template"]
      ]
    )
    assert.deepStrictEqual(orphans, [
      { caseId: "capital", contestant: "other", reason: "contestant_never_asked" },
      { caseId: "sum", contestant: "ans", reason: "no_target" }
    ])
  })

  it("the last of several at one place counts; strict refuses them", () => {
    const projection = project([plain("ans", "first"), plain("ans", "second", { caseId: "again" })], ["ask"])
    assert.deepStrictEqual(
      storeOf(projection).entries.map(({ entry }) => entry.output),
      ["second"]
    )
    const { duplicates, projected } = projection.report()
    assert.deepStrictEqual(
      [duplicates.map(({ caseId }) => caseId), projected.map(({ caseId }) => caseId)],
      [["capital"], ["again"]]
    )
    const strict = projection.build(true)
    assert.isTrue(Result.isFailure(strict) && strict.failure.message.includes('case "capital"'))
  })

  it("several repetitions of one case are refused, because only one can be meant", () => {
    const projection = new ScenarioProjection([capital], ["ans"])
    const added = projection.add([plain("ans", "a"), plain("ans", "b", { trial: 2 })], { nodes: ["ask"] })
    assert.isTrue(Result.isFailure(added) && added.failure.message.includes("several repetitions"))
    assert.strictEqual(storeOf(projection).size, 0)
  })
})

describe("what a case asks", () => {
  const asks = (fields: Partial<Pick<TestCase, "messages" | "scenario">>) =>
    questionOf({ messages: [{ role: "user", content: "Hi" }], ...fields })

  it("is one message of text; a conversation, a file or a scenario is none", () => {
    assert.strictEqual(asks({}), "Hi")
    assert.strictEqual(asks({ messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] }), "Hi")
    assert.isNull(asks({ scenario: {} }))
    assert.isNull(asks({ messages: [{ role: "user", content: [{ type: "image", url: "https://x.test/a.png" }] }] }))
    const more = { role: "assistant", content: "Hello" } as const
    assert.isNull(asks({ messages: [{ role: "user", content: "Hi" }, more] }))
  })
})
