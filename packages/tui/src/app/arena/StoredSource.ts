/** A run out of the store: one of the past, or one that another process executes right now. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { Project, RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { eventVersion, type RunEvent } from "@agent-arena/core/domain/RunEvent"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { TimedEnding } from "../run/RunModel.ts"
import { type Refusal, type RunFacts, type RunSource, refusal } from "../run/RunSource.ts"
import { caseTexts } from "./CaseTexts.ts"
import { refuse } from "./LiveSource.ts"
import { makeColumnReader } from "./MeasuredColumns.ts"
import { rankMeasured } from "./RankMeasured.ts"

type Store = ResultStore["Service"]

/** How often a run of another process is looked at, ms, and how much of the time that may take. */
const pollMs = 1000
const pollShare = 20

const endingOf = (record: RunRecord | null): TimedEnding | null => {
  if (record === null || record.status === "running" || record.stopReason === null) return null
  const { status, stopReason, startedAt, finishedAt, durationMs } = record
  // The time between the parts of a resumed run is nobody's waiting.
  const took = durationMs ?? (finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt))
  return { status, stopReason, finishedAt: took === null ? null : Date.parse(startedAt) + took }
}

const factsOf = (record: RunRecord, rules: RankingRules): RunFacts => ({
  id: record.runId,
  project: record.project,
  rules,
  startedAt: Date.parse(record.startedAt),
  kind: record.status === "running" ? "attached" : "past",
  budgetUsd: null,
  drainMs: 0,
  termDrainMs: 0
})

/** A stored result as an event that happens when it is seen: that is what the speed of the run is told from. */
const finishedEvent = (record: RunRecord, result: CallResult, seq: number, at: number): RunEvent => ({
  _tag: "CellFinished",
  v: eventVersion,
  seq,
  at,
  runId: record.runId,
  contestant: result.contestant,
  caseId: result.caseId,
  trial: result.trial,
  status: result.status,
  stopReason: result.stopReason,
  score: result.score,
  passed: result.passed,
  latencyMs: result.latencyMs,
  costUsd: result.costUsd,
  promptTokens: result.usage.prompt,
  completionTokens: result.usage.completion,
  attempts: result.attempts.length,
  error: result.error,
  reused: false
})

/** What the store holds, read into the table that ranking reads; `fresh` are the results not seen before. */
const makeReader = (store: Store, record: RunRecord, rules: RankingRules) => {
  const measured = Measurements.make(rules)
  const seen = (result: CallResult) => measured.outcome(result.contestant, result.caseId, result.trial) !== null
  const read = (fresh: (result: CallResult) => void): Effect.Effect<void, Refusal> =>
    Stream.runForEachArray(store.results(record.runId), (results) =>
      Effect.sync(() => {
        for (const result of results) {
          if (seen(result)) continue
          measured.add(result)
          fresh(result)
        }
      })
    ).pipe(Effect.mapError(refuse))
  return { measured, read }
}

/** Looks again and again, and tells what is new as events; ends with the run. */
const watch = (
  store: Store,
  record: RunRecord,
  read: (fresh: (result: CallResult) => void) => Effect.Effect<void, Refusal>
): Stream.Stream<RunEvent, Refusal> => {
  let seq = 0
  const look = Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const now = yield* Effect.mapError(store.run(record.runId), refuse)
    const events: Array<RunEvent> = []
    yield* read((result) => {
      seq += 1
      events.push(finishedEvent(record, result, seq, start))
    })
    const cost = (yield* Clock.currentTimeMillis) - start
    const over = now === null || now.status !== "running"
    if (!over) yield* Effect.sleep(Math.max(pollMs, cost * pollShare))
    return { events, over }
  })
  return Stream.fromEffectRepeat(look).pipe(
    Stream.takeUntil(({ over }) => over),
    Stream.flatMap(({ events }) => Stream.fromIterable(events))
  )
}

/** `project` is what the folder says now: the texts of the cases come from it, where it still has them. */
export const storedSource = (
  store: Store,
  record: RunRecord,
  project: Project | null
): Effect.Effect<RunSource, Refusal> =>
  Effect.gen(function* () {
    const header = yield* Effect.mapError(store.header(record.runId), refuse)
    if (header === null) return yield* Effect.fail(refusal(`The store has nothing of ${record.runId} but its name.`))
    const { rules } = header
    const { measured, read } = makeReader(store, record, rules)
    const readColumns = makeColumnReader(rules, measured)
    return {
      facts: factsOf(record, rules),
      readOutcomes: (take) =>
        Effect.map(
          read(() => undefined),
          () => readColumns(take)
        ),
      events: record.status === "running" ? watch(store, record, read) : Stream.empty,
      ending: Effect.map(Effect.mapError(store.run(record.runId), refuse), endingOf),
      retries: null,
      rank: rankMeasured(measured),
      leaderboard: Effect.mapError(store.leaderboard(record.runId), refuse),
      result: (cell) => Effect.mapError(store.result(record.runId, cell), refuse),
      testCase: caseTexts(project),
      controls: null
    }
  })
