import { Arena } from "@agent-arena/core/engine/Arena"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { loadProject } from "../projects.ts"
import * as Invariants from "./Invariants.ts"
import * as Laboratories from "./Laboratory.ts"
import * as Play from "./Play.ts"
import { Scenario } from "./Scenario.ts"

/** `ENDINGS_RUNS` and `ENDINGS_SEED` play more, or others. */
const runs = Number(process.env["ENDINGS_RUNS"] ?? 60)
const seed = Number(process.env["ENDINGS_SEED"] ?? 20_261)

const play = Effect.fnUntraced(function* (scenario: Scenario) {
  const base = yield* loadProject({ models: [{ model: "mock:unused" }] }, 4, { "hooks.mjs": Play.hookModule })
  const laboratory = Laboratories.make(scenario.behaviours)
  const project = Play.projectOf({ ...base, contestants: [] }, scenario, laboratory)
  const watched = yield* Play.watch(Arena.start(project))
  const { events, run } = watched
  const observe = Effect.gen(function* () {
    yield* Play.calmDown(watched, laboratory)
    Invariants.always(scenario, laboratory, events, yield* run.snapshot)
  })
  yield* observe
  let closed = false
  for (const action of scenario.actions) {
    if (closed) break
    yield* Play.act(watched, action)
    closed = action._tag === "Close"
    yield* observe
  }
  if (!closed) yield* Play.finish(watched, laboratory)
  yield* observe
  const report = closed ? null : yield* run.result
  if (!closed) yield* Scope.close(watched.scope, yield* Effect.exit(Effect.void))
  const stored = yield* Play.readStore(project, run)
  const snapshot = yield* run.snapshot
  Invariants.atTheEnd(laboratory, events, snapshot, report, stored)
  return { project, laboratory, watched, stored, snapshot }
})

describe("the states of a run", () => {
  it.effect.prop(
    "keep every promise under any interleaving of answers, stops, pauses, cancellations and limits",
    { scenario: Scenario },
    ({ scenario }) =>
      Effect.gen(function* () {
        const { laboratory, project, stored, watched, snapshot } = yield* play(scenario)
        const told = watched.events.length
        const called = laboratory.calls.length
        yield* TestClock.adjust("1 hour")
        yield* Play.calmDown(watched, laboratory)
        assert.strictEqual(watched.events.length, told)
        assert.strictEqual(laboratory.calls.length, called)
        assert.deepStrictEqual({ ...(yield* watched.run.snapshot), elapsedMs: 0 }, { ...snapshot, elapsedMs: 0 })
        assert.deepStrictEqual(yield* Play.readStore(project, watched.run), stored)
      }).pipe(Effect.provide(Arena.layer)),
    { timeout: 120_000, arbitrary: { runs, seed } }
  )
})
