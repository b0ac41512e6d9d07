/** Plays a scenario against a real run with its own database, in virtual time. */
import { join } from "node:path"
import * as Target from "@agent-arena/core/connector/Target"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import type { HookSettings } from "@agent-arena/core/domain/Settings"
import type { Arena } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Projects from "@agent-arena/core/project/Project"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Laboratories from "./Laboratory.ts"
import type { Action, Scenario } from "./Scenario.ts"

/** The module that the scenarios' hooks are in. */
export const hookModule = `
export const prompt = async () => null
export const hangs = () => new Promise(() => {})
`

const hookOf = (name: Scenario["hook"]): HookSettings => {
  const none = { preRequest: null, postProcess: null, onResult: null }
  const position = { file: "hooks.mjs", line: null, column: null }
  const ref = (exportName: string) => ({ module: "hooks.mjs", exportName, position })
  switch (name) {
    case "none":
      return none
    case "prompt":
      return { ...none, postProcess: ref("prompt"), onResult: ref("prompt") }
    case "hangs":
      return { ...none, onResult: ref("hangs") }
    case "stuck":
      return { ...none, postProcess: ref("hangs") }
  }
}

/** The project of a scenario; `base` has four cases. */
export const projectOf = (base: Project, scenario: Scenario, laboratory: Laboratories.Laboratory): Project => {
  const targets = Array.from({ length: scenario.contestants }, (_, index) =>
    Target.make(`c${index}`, (_request, cell) => laboratory.run(cell))
  )
  const { actions: _, behaviours: _b, cases, contestants: _c, hook, resumed: _r, rescored: _s, ...limits } = scenario
  const { maxModelUsd, maxRunUsd, onExceed, ...run } = limits
  const project = Projects.withSettings(
    Projects.withCases(Projects.withContestants(base, targets), base.cases.slice(0, cases)),
    {
      run: { ...run, retryBackoffS: 0.2, seed: 7 },
      budgets: { maxModelUsd: maxModelUsd || null, maxRunUsd: maxRunUsd || null, onExceed, allowUnpriced: true },
      output: { db: join(base.root, "arena.sqlite") }
    }
  )
  return { ...project, hooks: hookOf(hook) }
}

/** What a database says of a run. */
export const readStore = (project: Project, run: RunHandle) =>
  Effect.scoped(
    Effect.gen(function* () {
      const services = yield* Layer.build(ResultStore.layer(project.output.db))
      const store = Context.get(services, ResultStore)
      const results = [...(yield* Stream.runCollect(store.results(run.id)))]
      const spent = yield* Context.get(services, ResultReuse).spent(run.id)
      const leaderboard = yield* store.leaderboard(run.id)
      return { record: yield* store.run(run.id), results, spent, leaderboard }
    })
  )
export type Stored = Effect.Success<ReturnType<typeof readStore>>

/** The same project, whose cases want "no". */
export const withOtherAnswers = (project: Project): Project =>
  Projects.withCases(
    project,
    project.cases.map((testCase) => ({ ...testCase, reference: "no" }))
  )

export interface Watched {
  readonly run: RunHandle
  readonly scope: Scope.Closeable
  readonly events: ReadonlyArray<RunEvent>
  readonly snapshot: Effect.Effect<RunSnapshot>
}

/** Starts a run in a scope of its own and follows its events. */
export const watch = Effect.fnUntraced(function* (start: Effect.Effect<RunHandle, unknown, Scope.Scope | Arena>) {
  const scope = yield* Scope.make()
  const events: Array<RunEvent> = []
  const run = yield* Effect.orDie(Scope.provide(start, scope))
  yield* Effect.forkScoped(
    Stream.runForEach(run.events, (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true }
  )
  const watched: Watched = { run, scope, events, snapshot: run.snapshot }
  return watched
})

const turns = 24

/** Lets everything happen that can happen without time passing. */
export const calmDown = (watched: Watched, laboratory: Laboratories.Laboratory): Effect.Effect<void> =>
  Effect.gen(function* () {
    let idle = 0
    let before = ""
    while (idle < turns) {
      yield* Effect.yieldNow
      const now = `${(yield* watched.snapshot).seq} ${watched.events.length} ${laboratory.calls.length}`
      idle = now === before ? idle + 1 : 0
      before = now
    }
  })

const open = (events: ReadonlyArray<RunEvent>) => {
  const cells = new Map<string, { contestant: string; caseId: string; trial: number }>()
  for (const event of events) {
    if (event._tag === "CellStarted") cells.set(Laboratories.nameOf(event), event)
    if (event._tag === "CellFinished") cells.delete(Laboratories.nameOf(event))
  }
  return [...cells.values()]
}

/** Does one thing to the run. */
export const act = Effect.fnUntraced(function* (watched: Watched, action: Action) {
  const { run } = watched
  switch (action._tag) {
    case "Pass":
      return yield* TestClock.adjust(action.ms)
    case "Stop":
      return yield* run.stop(action.reason)
    case "StopNow":
      return yield* run.stopNow(action.reason)
    case "Pause":
      return yield* run.pause
    case "Resume":
      return yield* run.resume
    case "Cancel": {
      const cell = open(watched.events)[action.pick]
      if (cell === undefined) return
      yield* run.cancelCell({
        contestant: ContestantKey.make(cell.contestant),
        caseId: CaseId.make(cell.caseId),
        trial: cell.trial
      })
      return
    }
    case "Close": {
      const closing = yield* Effect.forkChild(Scope.close(watched.scope, Exit.interrupt()), { startImmediately: true })
      for (let waited = 0; waited <= graceMs && closing.pollUnsafe() === undefined; waited += 500) {
        yield* TestClock.adjust(500)
      }
      return yield* Fiber.join(closing)
    }
  }
})

/** How long an interrupted run may take to write what it knows, ms. */
export const graceMs = 3_000

/** Ends a run that is not over: asks it to stop if nobody has, and lets time pass until it must be over. */
export const finish = Effect.fnUntraced(function* (watched: Watched, laboratory: Laboratories.Laboratory) {
  const isOver = Effect.map(watched.snapshot, ({ phase }) => phase === "finished")
  yield* watched.run.stop("cancelled")
  yield* calmDown(watched, laboratory)
  const stopping = watched.events.find((event) => event._tag === "RunStopping")
  const budget = (stopping?._tag === "RunStopping" ? stopping.drainMs : 0) + graceMs
  let waited = 0
  while (!(yield* isOver)) {
    if (waited > budget) return yield* Effect.die(new Error(`not over ${waited} ms after the stop, of ${budget} ms`))
    waited += 250
    yield* TestClock.adjust(250)
    yield* calmDown(watched, laboratory)
  }
})
