import type { Project } from "@agent-arena/core/domain/Project"
import type { RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import * as Projects from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { loadProject } from "../projects.ts"
import * as Invariants from "./Invariants.ts"
import * as Laboratories from "./Laboratory.ts"
import * as Play from "./Play.ts"
import { type Action, Scenario } from "./Scenario.ts"

/** `ENDINGS_RUNS` and `ENDINGS_SEED` play more, or others. */
const runs = Number(process.env["ENDINGS_RUNS"] ?? 30)
const seed = Number(process.env["ENDINGS_SEED"] ?? 20_261)

interface Played {
  readonly watched: Play.Watched
  readonly stored: Play.Stored
  readonly snapshot: RunSnapshot
  /** Cells that have an answer, in whatever part it came. */
  readonly answered: ReadonlyArray<string>
}

interface Stage {
  readonly scenario: Scenario
  readonly project: Project
  readonly laboratory: Laboratories.Laboratory
}

/** Plays one part of a run to its end, and checks it all the way. */
const playPart = Effect.fnUntraced(function* (
  { laboratory, project, scenario }: Stage,
  actions: ReadonlyArray<Action>,
  earlier: Played | null = null
) {
  const options: StartOptions = earlier === null ? {} : { resume: earlier.watched.run.id }
  const before = laboratory.calls.length
  const watched = yield* Play.watch(Arena.start(project, options))
  const { events, run, scope } = watched
  const observe = Effect.gen(function* () {
    yield* Play.calmDown(watched, laboratory)
    Invariants.always(scenario, laboratory, events, yield* run.snapshot)
  })
  yield* observe
  let closed = false
  for (const action of actions) {
    if (closed) break
    yield* Play.act(watched, action)
    closed = action._tag === "Close"
    yield* observe
  }
  if (!closed) yield* Play.finish(watched, laboratory)
  yield* observe
  const report = closed ? null : yield* run.result
  yield* Scope.close(scope, Exit.void)
  const stored = yield* Play.readStore(project, run)
  const snapshot = yield* run.snapshot
  const calls = laboratory.calls.slice(before)
  Invariants.atTheEnd({ events, snapshot, report, stored, calls, answered: earlier?.answered ?? [] })
  const own = stored.results.filter(({ status }) => status === "ok").map(Laboratories.nameOf)
  // An answer stays one, even where it waits for being scored again.
  const played: Played = { watched, stored, snapshot, answered: [...new Set([...(earlier?.answered ?? []), ...own])] }
  return played
})

/** An hour later nothing has changed. */
const nothingComesLater = Effect.fnUntraced(function* ({ laboratory, project }: Stage, played: Played) {
  const { snapshot, stored, watched } = played
  const told = watched.events.length
  const called = laboratory.calls.length
  yield* TestClock.adjust("1 hour")
  yield* Play.calmDown(watched, laboratory)
  assert.strictEqual(watched.events.length, told)
  assert.strictEqual(laboratory.calls.length, called)
  assert.deepStrictEqual({ ...(yield* watched.run.snapshot), elapsedMs: 0 }, { ...snapshot, elapsedMs: 0 })
  assert.deepStrictEqual(yield* Play.readStore(project, watched.run), stored)
})

describe("the states of a run", () => {
  it.effect.prop(
    "keep every promise under any interleaving of answers, stops, pauses, cancellations, limits and resumptions",
    { scenario: Scenario },
    ({ scenario }) =>
      Effect.gen(function* () {
        const base = yield* loadProject({ models: [{ model: "mock:unused" }] }, 4, { "hooks.mjs": Play.hookModule })
        const laboratory = Laboratories.make(scenario.behaviours)
        const project = Play.projectOf({ ...base, contestants: [] }, scenario, laboratory)
        const stage: Stage = { scenario, project, laboratory }
        const first = yield* playPart(stage, scenario.actions)
        yield* nothingComesLater(stage, first)

        const changed = scenario.rescored ? { ...stage, project: Play.withOtherAnswers(project) } : stage
        const second = yield* playPart(changed, scenario.resumed, first)
        yield* nothingComesLater(changed, second)

        // In the end nothing stands in the way any more.
        laboratory.calm()
        const free = Projects.withSettings(changed.project, {
          run: { maxWallS: 0, failFast: false, cellTimeoutS: 0 },
          budgets: { maxRunUsd: null, maxModelUsd: null }
        })
        const third = yield* playPart(
          { ...stage, project: { ...free, hooks: { ...free.hooks, onResult: null } } },
          scenario.hook === "stuck" ? [] : [{ _tag: "Pass", ms: 9_000 }],
          second
        )
        if (scenario.hook !== "stuck") assert.strictEqual(third.stored.record?.status, "completed")
      }).pipe(Effect.provide(Arena.layer)),
    { timeout: 300_000, arbitrary: { runs, seed } }
  )
})
