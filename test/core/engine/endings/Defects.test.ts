import { Connector, type ConnectorFactory } from "@agent-arena/core/connector/Connector"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import * as Target from "@agent-arena/core/connector/Target"
import type { Generation } from "@agent-arena/core/domain/Generation"
import * as Generations from "@agent-arena/core/domain/Generation"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Projects from "@agent-arena/core/project/Project"
import * as Scorer from "@agent-arena/core/scoring/Scorer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { inFlight } from "../observation.ts"
import { loadProject, scripted } from "../projects.ts"
import { projectWith, start, tally } from "./Started.ts"

/** What a program's own connector may do wrong; one misbehaviour a case. */
const misbehave = (caseId: string): Effect.Effect<Generation> => {
  const answer = Generations.make({ text: "yes", costUsd: 0.01 })
  // Connectors are written by others, not all of them in TypeScript: these values do not have the type they claim.
  const wrong = (value: unknown) => value as Generation
  switch (caseId) {
    case "t1":
      throw new Error("thrown instead of failed")
    case "t2":
      return Effect.die(new Error("a defect"))
    case "t3":
      return Effect.succeed(wrong(undefined))
    case "t4":
      return Effect.succeed(wrong({ ...answer, text: 42 }))
    case "t5":
      return Effect.andThen(Effect.yieldNow, Effect.succeed(wrong(null)))
    case "t6":
      return Effect.interrupt
    case "t7":
      return Effect.succeed(wrong({ ...answer, usage: null, metrics: null }))
    case "t8":
      return Effect.succeed({ ...answer, trace: { self: 1n } })
    default:
      return Effect.succeed(answer)
  }
}

const careless: ConnectorFactory = () =>
  Layer.succeed(Connector, {
    provider: "careless",
    generate: (_request, cell) => misbehave(cell.caseId),
    healthCheck: Effect.succeed(null),
    secrets: []
  })

describe("a connector that misbehaves", () => {
  it.effect("makes its own cells errors; the run completes and everything is recorded", () =>
    Effect.gen(function* () {
      const project = yield* loadProject(
        { models: [{ key: "m", model: "careless/m", provider: "careless" }], run: { retries: 0, concurrency: 3 } },
        12
      )
      const { run, stored } = yield* start(project)
      const report = yield* run.result
      const { results } = yield* stored
      assert.deepStrictEqual([report.run.status, report.problems], ["completed", []])
      assert.lengthOf(results, 12)
      const failed = results.filter(({ status }) => status === "error").map(({ caseId }) => caseId)
      assert.includeMembers(failed, ["t1", "t2", "t3", "t4", "t5", "t6"])
      assert.notIncludeMembers(failed, ["t8", "t9", "t10", "t11", "t12"])
      assert.isTrue(results.every(({ error, status }) => (status === "error") === (error !== null)))
    }).pipe(Effect.provide(Arena.layer), Effect.provideService(ConnectorRegistry, new Map([["careless", careless]])))
  )
})

describe("a scorer that misbehaves", () => {
  const scorers = [
    Scorer.make("throws", () => {
      throw new Error("thrown by the scorer")
    }),
    Scorer.make("dies", () => Effect.die(new Error("a defect of the scorer"))),
    Scorer.make("interrupts", () => Effect.interrupt),
    Scorer.make("rejects", () => Promise.reject(new Error("rejected"))),
    Scorer.make("nothing", () => undefined as unknown as number),
    Scorer.make("hangs", () => Effect.never)
  ]

  it.effect("makes its cells errors that keep the answer and its cost", () =>
    Effect.gen(function* () {
      const cases = scorers.map(({ name }) => ({ id: name, input: "say yes", expected: "yes" }))
      const target = Target.make("t", () => Effect.succeed({ output: "yes", costUsd: 0.01 }))
      const plain = yield* projectWith([target], cases, { run: { cell_timeout_s: 5, concurrency: 10 } })
      const scoredBy = (testCase: TestCase): TestCase => {
        const [{ params, position, weight }] = testCase.scorers
        return { ...testCase, scorers: [{ params, position, weight, type: testCase.id }] }
      }
      const project = Projects.withCases(Projects.withScorers(plain, scorers), plain.cases.map(scoredBy))
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 1)
      yield* TestClock.adjust("5 seconds")
      const report = yield* run.result
      const { results } = yield* stored
      assert.strictEqual(report.run.status, "completed")
      assert.deepStrictEqual(tally(results), { error: 5, timeout: 1 })
      assert.isTrue(
        results.every(({ output, costUsd, score }) => output === "yes" && costUsd === 0.01 && score === null)
      )
      assert.approximately(report.run.totalCostUsd ?? 0, 0.06, 1e-12)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a hook that misbehaves", () => {
  const code = `
    export const interrupts = async () => { throw Object.assign(new Error("stopped"), { name: "AbortError" }) }
    export const throws = () => { throw new Error("thrown") }
    export const nonsense = () => 17
  `
  it.effect("makes its cells errors, never stopped ones", () =>
    Effect.gen(function* () {
      for (const [hook, name] of [
        ["pre_request", "interrupts"],
        ["post_process", "throws"],
        ["post_process", "nonsense"],
        ["on_result", "interrupts"]
      ] as const) {
        const project = yield* loadProject(
          { models: [scripted("m", [{ text: "yes" }])], hooks: { [hook]: `hooks.mjs:${name}` } },
          2,
          { "hooks.mjs": code }
        )
        const { run, stored } = yield* start(project)
        assert.strictEqual((yield* run.result).run.status, "completed", `${hook} ${name}`)
        assert.deepStrictEqual(tally((yield* stored).results), { error: 2 }, `${hook} ${name}`)
      }
    }).pipe(Effect.provide(Arena.layer))
  )
})
