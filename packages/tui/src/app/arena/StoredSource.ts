/** A run out of the store: one of the past, or one that another process executes right now. */
import type { Project, RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { LiveDocument } from "@agent-arena/core/engine/live/LiveState"
import type { ResultStore, RunPulse } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { endMark, type TimedEnding } from "../run/RunModel.ts"
import { type Refusal, type RemoteControls, type RunFacts, type RunSource, refusal } from "../run/RunSource.ts"
import { attachedRun } from "./AttachedRun.ts"
import { caseTexts } from "./CaseTexts.ts"
import { refuse } from "./LiveSource.ts"
import { makeColumnReader } from "./MeasuredColumns.ts"
import { rankMeasured } from "./RankMeasured.ts"

type Store = ResultStore["Service"]

/** Asks the process of a run to end it; `now` = without waiting for what is in flight. */
export type AskToStop = (
  store: Store,
  run: RunRecord,
  now: boolean
) => Effect.Effect<void, { readonly message: string }>

export interface StoredSourceOptions {
  /** What the folder says now: the texts of the cases come from it, where it still has them. */
  readonly project: Project | null
  /** Absent = runs of other processes can only be looked at. */
  readonly askToStop?: AskToStop
}

/**
 * When the run ended on the clock that its screen shows. One of the past is shown from its first start: the time between
 * the parts of a resumed run is nobody's waiting. One that goes on is shown from the start of its present part.
 */
const finishedAtOf = (record: RunRecord, kind: RunFacts["kind"]): number | null => {
  const { durationMs, finishedAt, startedAt } = record
  if (durationMs !== null && kind === "past") return Date.parse(startedAt) + durationMs
  return finishedAt === null ? null : Date.parse(finishedAt)
}

const endingOf = (record: RunRecord | null, kind: RunFacts["kind"]): TimedEnding | null => {
  if (record === null || record.status === "running" || record.stopReason === null) return null
  const { status, stopReason } = record
  return { status, stopReason, finishedAt: finishedAtOf(record, kind), mark: endMark(record) }
}

/** The live file says what the run was started with; without it that is not known. */
const factsOf = (
  record: RunRecord,
  rules: RankingRules,
  pulse: RunPulse | null,
  live: () => LiveDocument | null
): RunFacts => {
  const attached = record.status === "running"
  let known: LiveDocument | null = null
  const read = (): LiveDocument | null => {
    known = live() ?? known
    return known
  }
  return {
    id: record.runId,
    project: record.project,
    rules,
    startedAt: Date.parse(attached ? (pulse?.partStartedAt ?? record.startedAt) : record.startedAt),
    kind: attached ? "attached" : "past",
    get budgetUsd() {
      return read()?.maxRunUsd ?? null
    },
    get drainMs() {
      return read()?.drainMs ?? 0
    },
    get termDrainMs() {
      return read()?.termDrainMs ?? 0
    }
  }
}

const remoteOf = (store: Store, record: RunRecord, ask: AskToStop): RemoteControls => ({
  stop: (how) =>
    Effect.gen(function* () {
      const now = yield* Effect.mapError(store.run(record.runId), refuse)
      if (now?.status !== "running") return yield* Effect.fail(refusal("The run has ended already."))
      yield* Effect.mapError(ask(store, now, how === "now"), refuse)
    })
})

export const storedSource = (
  store: Store,
  record: RunRecord,
  { askToStop, project }: StoredSourceOptions
): Effect.Effect<RunSource, Refusal> =>
  Effect.gen(function* () {
    const header = yield* Effect.mapError(store.header(record.runId), refuse)
    if (header === null) return yield* Effect.fail(refusal(`The store has nothing of ${record.runId} but its name.`))
    const { rules } = header
    const pulse = yield* Effect.mapError(store.pulse(record.runId), refuse)
    const run = yield* attachedRun(store, record, rules)
    const readColumns = makeColumnReader(rules, run.measured)
    const facts = factsOf(record, rules, pulse, run.live)
    const attached = facts.kind === "attached"
    return {
      facts,
      readOutcomes: (take) => Effect.map(run.read, () => readColumns(take)),
      events: attached ? run.events : Stream.empty,
      ending: Effect.map(Effect.mapError(store.run(record.runId), refuse), (now) => endingOf(now, facts.kind)),
      ...(attached ? { snapshot: Effect.sync(() => run.live()?.snapshot ?? null) } : {}),
      rank: rankMeasured(run.measured),
      leaderboard: Effect.mapError(store.leaderboard(record.runId), refuse),
      result: (cell) => Effect.mapError(store.result(record.runId, cell), refuse),
      testCase: caseTexts(project),
      controls: null,
      ...(attached && askToStop !== undefined ? { remote: remoteOf(store, record, askToStop) } : {})
    }
  })
