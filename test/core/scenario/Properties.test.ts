import type { Combo } from "@agent-arena/core/scenario/executor/Combo"
import { runBatch, type WorkerResources } from "@agent-arena/core/scenario/executor/ScenarioExecutor"
import { END, makeNode, type Scenario, type ScenarioEdge } from "@agent-arena/core/scenario/model/Scenario"
import type { ScenarioResult } from "@agent-arena/core/scenario/model/Turn"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play, start } from "@agent-arena/core/scenario/play/Play"
import type { Respond } from "@agent-arena/core/scenario/play/PlayContext"
import { storeOf } from "@agent-arena/core/scenario/replay/Capture"
import { pathStatistics } from "@agent-arena/core/scenario/view/PathStatistics"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { answer, compileScenario } from "./plays.ts"

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))

/** A random graph: up to six nodes, edges with and without conditions, handovers, ends. */
const Graph = Schema.Struct({
  nodes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })),
  edges: Schema.Array(
    Schema.Struct({
      from: Index,
      to: Schema.NullOr(Index),
      when: Schema.NullOr(Schema.Literals(["passed", "visits", "even"])),
      handover: Schema.NullOr(Schema.Literals(["transcript_prepend", "transcript_append"]))
    })
  ).check(Schema.isMaxLength(12)),
  answers: Schema.Array(Schema.Boolean).check(Schema.isMaxLength(10))
})
type Graph = typeof Graph.Type

const conditionOf = (when: Graph["edges"][number]["when"], from: string): ScenarioEdge["when"] => {
  const check = (field: string, value: unknown): ScenarioEdge["when"] => ({
    _tag: "Check",
    field,
    test: { _tag: "Operator", operator: field.startsWith("node_visits") ? "gte" : "eq", value }
  })
  switch (when) {
    case "passed":
      return check("verify_result", true)
    case "visits":
      return check(`node_visits.${from}`, 2)
    case "even":
      return check("parsed.missing", 2)
    default:
      return null
  }
}

const scenarioOf = ({ edges, limit, nodes }: Graph): Scenario => {
  const id = (index: number) => `n${index % nodes}`
  return {
    name: "random",
    description: "",
    entry: "n0",
    nodes: Array.from({ length: nodes }, (_, index) =>
      makeNode({
        id: `n${index}`,
        prompt: `Question ${index}`,
        verify: [{ type: "contains", weight: 1, params: {}, expected: "yes" }],
        update: [{ _tag: "Add", values: { turns: 1 }, when: null }]
      })
    ),
    edges: edges.map(({ from, handover, to, when }) => ({
      from: id(from),
      to: to === null ? END : id(to),
      when: conditionOf(when, id(from)),
      handover
    })),
    outcomes: [{ name: "passes", description: "", check: { _tag: "CountTurns", nodes: null, where: null } }],
    score: {},
    limits: { turns: limit, timeS: null, tokens: null, costUsd: null },
    system: null,
    state: {},
    tags: [],
    weight: 1,
    metadata: {}
  }
}

/** Answers by what is asked alone, so that equal requests have equal answers. */
const respondTo =
  ({ answers }: Graph): Respond =>
  ({ messages, visit }) => {
    const length = messages.reduce((sum, { content }) => sum + content.length, visit)
    return Effect.succeed(
      answer(answers[length % Math.max(1, answers.length)] === true ? `yes ${length}` : `no ${length}`)
    )
  }

const contextOf = (graph: Graph) => plainContext({ scenario: "random", contestant: "ans", respond: respondTo(graph) })

/** What of a play does not depend on time or on where its answers came from. */
const facts = ({ accumulated, outcomes, path, status, turns }: ScenarioResult) => ({
  accumulated,
  outcomes,
  path,
  status,
  turns: turns.map(({ node, output, prompt, verifyResult, visit }) => ({ node, output, prompt, verifyResult, visit }))
})

describe("any graph", () => {
  it.effect.prop("is played to an end, on a walk along its edges, within its limit", { graph: Graph }, ({ graph }) =>
    Effect.gen(function* () {
      const scenario = scenarioOf(graph)
      const result = yield* play(compileScenario(scenario), contextOf(graph))
      assert.include(["completed", "limit_reached"], result.status)
      assert.isAtMost(result.turns.length, scenario.limits.turns)
      assert.strictEqual(result.path[0], "n0")
      for (const [index, node] of result.path.slice(1).entries()) {
        const from = result.path[index]
        assert.isTrue(scenario.edges.some((edge) => edge.from === from && edge.to === node))
      }
      assert.strictEqual(result.accumulated["turns"], result.turns.length)
      const { edgeCoverage, nodes } = pathStatistics(scenario, [result])
      assert.strictEqual(
        nodes.reduce((sum, { turns }) => sum + turns, 0),
        result.path.length
      )
      assert.isTrue(edgeCoverage !== null && edgeCoverage >= 0 && edgeCoverage <= 1)
    })
  )

  it.effect.prop(
    "interrupted at any turn and gone on with comes to the same",
    { graph: Graph, stop: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 })) },
    ({ graph, stop }) =>
      Effect.gen(function* () {
        const compiled = compileScenario(scenarioOf(graph))
        const whole = yield* play(compiled, contextOf(graph))
        const respond: Respond = (request) => (request.turn < stop ? respondTo(graph)(request) : Effect.never)
        const playing = yield* start(compiled, { ...contextOf(graph), respond })
        const fiber = yield* Effect.forkChild(playing.run)
        for (let step = 0; step < 40; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const partial = playing.snapshot("run_stopped")
        let asked = 0
        const resumed = yield* play(compiled, {
          ...contextOf(graph),
          replay: storeOf(partial, compiled),
          respond: (request) => {
            asked += 1
            return respondTo(graph)(request)
          }
        })
        assert.deepStrictEqual(facts(resumed), facts(whole))
        assert.strictEqual(asked, whole.turns.length - Math.min(stop, whole.turns.length))
      })
  )

  it.effect.prop(
    "comes to the same in parallel and one by one, with and without a cache",
    { graph: Graph },
    ({ graph }) =>
      Effect.gen(function* () {
        const compiled = compileScenario(scenarioOf(graph))
        const combos = [null, 0, 1, 0].map(
          (replicate): Combo => ({ compiled, contestant: "ans", judge: null, replicate })
        )
        const open = Effect.succeed<WorkerResources>({ respond: respondTo(graph) })
        const one = yield* runBatch(combos, { open, parallel: false, enableCache: false })
        const many = yield* runBatch(combos, { open, maxWorkers: 3 })
        assert.deepStrictEqual(many.results.map(facts), one.results.map(facts))
      })
  )
})
