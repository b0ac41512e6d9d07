/** Gathers what the store knows of a run and of those before it, and decides what has drifted. */
import type { ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { measureStored } from "@agent-arena/core/engine/RankStored"
import { type Baseline, baselineOf, type WatchedRun } from "@agent-arena/core/engine/watch/Baseline"
import { caseMeans, meanOfRuns, unknownMeans } from "@agent-arena/core/engine/watch/CaseMeans"
import {
  type ContestantDrift,
  drifts,
  type WatchedContestant,
  type WatchRules
} from "@agent-arena/core/engine/watch/Drift"
import type * as Measurements from "@agent-arena/core/ranking/Measurements"
import type { PastRun } from "@agent-arena/core/store/RunHistory"
import * as Effect from "effect/Effect"
import type { ProjectStores } from "../projectStores.ts"

/** How far back is looked for comparable runs. */
const lookBack = 200

/** A run of the history with the hashes of its contestants and the rest of its rules. */
const watchedRun = Effect.fnUntraced(function* (
  { reuse, store }: ProjectStores,
  { comparable, entries, record }: PastRun
) {
  const stored = yield* reuse.stored(record.runId)
  const header = yield* store.header(record.runId)
  const hashes = new Map(stored?.contestants.map(({ hash, key }) => [key, hash]))
  const run: WatchedRun = {
    runId: record.runId,
    status: record.status,
    comparable: `${comparable} ${JSON.stringify(header?.rules.constraints ?? null)}`,
    entries: new Map(
      entries.map(({ composite, contestant, status }) => [
        contestant,
        { status, composite, hash: hashes.get(contestant) ?? null }
      ])
    )
  }
  return run
})

/** The run and those before it that may be compared with it, newest first. */
const watchedRuns = Effect.fnUntraced(function* (stores: ProjectStores, { run: { project, runId } }: RunReport) {
  const history = yield* stores.shelf.history({ project, limit: lookBack, includeArchived: true })
  const place = history.findIndex(({ record }) => record.runId === runId)
  const own = history[place]
  if (own === undefined) return null
  // The history is in the order in which runs were begun; their times are not, where a clock was set back.
  const candidates = history
    .slice(place + 1)
    .filter(({ comparable, record }) => record.status === "completed" && comparable === own.comparable)
  return {
    current: yield* watchedRun(stores, own),
    earlier: yield* Effect.forEach(candidates, (past) => watchedRun(stores, past))
  }
})

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const beforeOf = (key: ContestantKey, baseline: Baseline): WatchedContestant["before"] => {
  if (baseline._tag !== "Runs") return null
  const [newest] = baseline.runs
  const status = newest.entries.get(key)?.status
  if (status === undefined) return null
  return {
    runs: baseline.runs.map(({ runId }) => runId),
    status,
    composite: mean(baseline.runs.flatMap(({ entries }) => entries.get(key)?.composite ?? []))
  }
}

const reasons = { Runs: null, First: "first", Changed: "changed" } as const

/** What has drifted in a completed run; at most `limit` earlier runs make a baseline. */
export const compareWithPast = Effect.fnUntraced(function* (
  stores: ProjectStores,
  report: RunReport,
  limit: number,
  watchRules: WatchRules
) {
  const runs = yield* watchedRuns(stores, report)
  if (runs === null) return [] satisfies ReadonlyArray<ContestantDrift>
  const { current, earlier } = runs
  const { cases } = report.rules
  const baselines = [...current.entries.keys()].map((key) => [key, baselineOf(current, earlier, key, limit)] as const)
  const ids = new Set(baselines.flatMap(([, one]) => (one._tag === "Runs" ? one.runs.map(({ runId }) => runId) : [])))
  const measured = new Map<RunId, Measurements.Measurements>()
  for (const id of [current.runId, ...ids]) measured.set(id, yield* measureStored(stores.store, id, report.rules))
  const meansIn = (id: RunId, key: ContestantKey) => {
    const measurements = measured.get(id)
    return measurements === undefined ? [] : caseMeans(measurements, key, cases)
  }
  const contestants = baselines.map(([key, baseline]): WatchedContestant => {
    const now = meansIn(current.runId, key)
    const before = beforeOf(key, baseline)
    const was = meanOfRuns(
      (before?.runs ?? []).map((id) => meansIn(id, key)),
      cases.length
    )
    return {
      key,
      status: current.entries.get(key)?.status ?? "no_data",
      composite: current.entries.get(key)?.composite ?? null,
      before,
      reason: reasons[baseline._tag],
      cases: cases.map(({ weight }, index) => ({
        weight,
        now: now[index] ?? unknownMeans,
        before: was[index] ?? unknownMeans
      }))
    }
  })
  return drifts(contestants, watchRules)
})
