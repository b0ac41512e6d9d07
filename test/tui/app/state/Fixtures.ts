/** States to begin with: a project on the start screen, a run at some point of its way. */

import { rank } from "@agent-arena/core/ranking/Leaderboard"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import type { ProjectFacts } from "@agent-arena/tui/src/app/run/ArenaSource.ts"
import { fold } from "@agent-arena/tui/src/app/run/Fold.ts"
import { makeOpenRun, type OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import type { RunSource } from "@agent-arena/tui/src/app/run/RunSource.ts"
import { type AppState, liveScreen, startScreen, type World } from "@agent-arena/tui/src/app/state/AppState.ts"
import type { Command } from "@agent-arena/tui/src/app/state/Intent.ts"
import { update } from "@agent-arena/tui/src/app/state/Update.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { makeRules } from "../simulation/Rules.ts"
import { factsOf, history, recordOf, testCase } from "../simulation/SimulatedArena.ts"
import { type SimulationOptions, simulatedEvents, simulatedRunId } from "../simulation/SimulatedRun.ts"

export const shape: SimulationOptions = {
  contestants: 4,
  cases: 50,
  trials: 3,
  seed: 1,
  concurrency: 8,
  stepMs: 20,
  startedAt: 1_000_000
}

const now = 1_020_000

/** A source whose events were all read already. */
const readSource = (options: SimulationOptions): RunSource => {
  const rules = makeRules(options)
  return {
    facts: {
      id: simulatedRunId,
      project: "support_triage",
      rules,
      startedAt: options.startedAt,
      kind: "live",
      budgetUsd: 5,
      drainMs: 30_000,
      termDrainMs: 5000
    },
    readOutcomes: () => Effect.void,
    events: Stream.empty,
    ending: Effect.succeed(null),
    rank: () => Effect.succeed(null),
    leaderboard: Effect.succeed(null),
    result: () => Effect.succeed(null),
    testCase,
    controls: {
      pause: Effect.void,
      resume: Effect.void,
      stop: () => Effect.void,
      stopNow: () => Effect.void,
      cancelCell: () => Effect.succeed(true)
    }
  }
}

/** A run of which a share 0..1 of its events has happened, with the records of its finished cells. */
export const openRun = (options: SimulationOptions, share: number): OpenRun => {
  const run = makeOpenRun(readSource(options))
  const { rules } = run.source.facts
  const measured = Measurements.make(rules)
  const events = [...simulatedEvents(options)]
  for (const event of events.slice(0, Math.floor(events.length * share))) {
    fold(run.model, event)
    if (event._tag !== "CellFinished") continue
    const result = recordOf(event)
    measured.add(result)
    const row = run.model.caseIndex.get(event.caseId) ?? 0
    const column = run.model.contestantIndex.get(event.contestant) ?? 0
    run.results.set((row * options.contestants + column) * options.trials + event.trial - 1, { _tag: "Ready", result })
  }
  run.leaderboard = rank(rules, measured, { complete: share === 1 })
  run.final = share === 1
  return run
}

export const makeWorld = (
  runs: ReadonlyArray<OpenRun>,
  facts: ProjectFacts = factsOf({ ...shape, perSecond: 1 })
): World => ({
  now,
  project: { _tag: "Ready", facts },
  can: { resume: true, retry: false },
  history: history(12),
  historyProblem: null,
  run: (id) => runs.find((run) => run.model.id === id)
})

const firstState: AppState = {
  size: { width: 100, height: 30 },
  screens: [startScreen],
  overlay: null,
  toast: null,
  liveRun: null,
  leaving: false
}

export const startState = (
  budgets: Partial<ProjectFacts["budgets"]> = {}
): { readonly state: AppState; readonly world: World } => {
  const facts = factsOf({ ...shape, perSecond: 1 })
  const world = makeWorld([], { ...facts, budgets: { ...facts.budgets, ...budgets } })
  return { state: update(firstState, { _tag: "ProjectRead" }, world).state, world }
}

const shares = { half: 0.5, finished: 1 } as const

/** The live screen of a run that this program executes. */
export const running = (
  progress: keyof typeof shares = "half",
  options: SimulationOptions = shape
): { readonly state: AppState; readonly world: World; readonly run: OpenRun } => {
  const run = openRun(options, shares[progress])
  return {
    state: { ...firstState, screens: [liveScreen(run.model.id)], liveRun: run.model.id },
    world: makeWorld([run]),
    run
  }
}

/** Presses keys one after the other; all commands that they led to. */
export const press = (state: AppState, world: World, ...keys: ReadonlyArray<string>) => {
  const commands: Array<Command> = []
  let current = state
  for (const key of keys) {
    const step = update(current, { _tag: "Key", key }, world)
    current = step.state
    commands.push(...step.commands)
  }
  return { state: current, commands }
}
