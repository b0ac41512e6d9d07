/** What holds of every run, whatever happens to it. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { type CellCounts, RunEnding } from "@agent-arena/core/domain/Run"
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import { type Laboratory, nameOf } from "./Laboratory.ts"
import type { Stored } from "./Play.ts"
import type { Scenario } from "./Scenario.ts"

const isEnding = Schema.is(RunEnding)

const balanced = (counts: CellCounts): void => {
  assert.strictEqual(counts.finished + counts.interrupted + counts.notStarted, counts.planned, JSON.stringify(counts))
  for (const count of Object.values(counts)) assert.isAtLeast(count, 0)
  assert.isAtMost(counts.errored + counts.timedOut, counts.finished)
}

type Finished = Extract<RunEvent, { readonly _tag: "CellFinished" }>

const finishedCells = (events: ReadonlyArray<RunEvent>): ReadonlyArray<Finished> =>
  events.flatMap((event) => (event._tag === "CellFinished" ? [event] : []))

const countsOf = (
  planned: number,
  cells: ReadonlyArray<{ readonly stopReason: CallResult["stopReason"] }>
): CellCounts => {
  const of = (reason: CallResult["stopReason"]) => cells.filter(({ stopReason }) => stopReason === reason).length
  const interrupted = of("run_stopped")
  return {
    planned,
    finished: cells.length - interrupted,
    interrupted,
    notStarted: planned - cells.length,
    errored: of("error"),
    timedOut: of("timeout")
  }
}

const unique = (names: ReadonlyArray<string>): void => assert.strictEqual(new Set(names).size, names.length)

/** Pauses and stops start nothing; every cell starts before it ends, and once. */
const ordered = (events: ReadonlyArray<RunEvent>): void => {
  const started = new Set<string>()
  let blocked: string | null = null
  for (const [index, event] of events.entries()) {
    assert.strictEqual(event.seq, index + 1)
    if (index === 0) assert.strictEqual(event._tag, "RunStarted")
    if (event._tag === "RunPaused") blocked ??= "paused"
    if (event._tag === "RunResumed") blocked = null
    if (event._tag === "RunStopping") blocked = "stopping"
    if (event._tag === "CellStarted") {
      assert.isNull(blocked, `${nameOf(event)} started while the run was ${blocked}`)
      assert.isFalse(started.has(nameOf(event)))
      started.add(nameOf(event))
    }
    if (event._tag === "CellFinished") assert.isTrue(event.reused || started.has(nameOf(event)))
    if (event._tag === "RunFinished") assert.strictEqual(index, events.length - 1)
  }
  assert.isAtMost(events.filter(({ _tag }) => _tag === "RunStopping").length, 1)
  unique(finishedCells(events).map(nameOf))
}

/** In every state that can be observed. */
export const always = (
  scenario: Scenario,
  laboratory: Laboratory,
  events: ReadonlyArray<RunEvent>,
  snapshot: RunSnapshot
): void => {
  balanced(snapshot.counts)
  ordered(events)
  assert.isAtMost(laboratory.peak(), scenario.concurrency)
  const done = finishedCells(events)
  assert.strictEqual(snapshot.seq, events.length)
  assert.deepStrictEqual(snapshot.counts, countsOf(snapshot.counts.planned, done))
  const started = events.filter(({ _tag }) => _tag === "CellStarted").length
  assert.strictEqual(snapshot.inFlight, started - done.filter(({ reused }) => !reused).length)
  assert.strictEqual(snapshot.phase === "finished", events.at(-1)?._tag === "RunFinished")
}

const sumKnown = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

const close = (actual: number | null, expected: number | null): void => {
  if (actual === null || expected === null) assert.strictEqual(actual, expected)
  else assert.approximately(actual, expected, 1e-9)
}

/** Scores come from outcomes, never from cells that the run interrupted. */
const scoredFairly = ({ leaderboard, results }: Stored): void => {
  for (const { key, metrics, stats } of leaderboard?.entries ?? []) {
    const own = results.filter(({ contestant }) => contestant === key)
    const counts = countsOf(stats.planned, own)
    assert.deepInclude(stats, {
      attempted: counts.finished,
      errors: counts.errored,
      timedOut: counts.timedOut,
      interrupted: counts.interrupted
    })
    const accuracy = metrics["accuracy"]?.raw ?? null
    if (counts.finished === 0) assert.isNull(accuracy)
  }
}

/** When the run is over: events, snapshot, report and database tell one story. */
export const atTheEnd = (
  laboratory: Laboratory,
  events: ReadonlyArray<RunEvent>,
  snapshot: RunSnapshot,
  report: RunReport | null,
  stored: Stored
): void => {
  const { record, results } = stored
  const last = events.at(-1)
  assert.strictEqual(last?._tag, "RunFinished")
  if (last?._tag !== "RunFinished" || record === null) throw new Error("the run has no end or no row")
  balanced(record.counts)
  assert.isTrue(isEnding({ status: record.status, stopReason: record.stopReason }), JSON.stringify(record))
  assert.deepStrictEqual(last.ending as unknown, { status: record.status, stopReason: record.stopReason })
  assert.strictEqual(record.status === "completed", record.counts.finished === record.counts.planned)
  assert.strictEqual(record.status === "failed", record.counts.finished === 0)
  const told = countsOf(record.counts.planned, results)
  for (const counts of [record.counts, last.counts, snapshot.counts]) assert.deepStrictEqual(counts, told)
  if (report !== null) {
    assert.deepStrictEqual({ ...report.run, heartbeatAt: record.heartbeatAt }, record)
    assert.deepStrictEqual(report.problems, [])
  }
  assert.strictEqual(snapshot.inFlight, 0)
  assert.sameMembers(finishedCells(events).map(nameOf), results.map(nameOf))
  const started = events.flatMap((event) => (event._tag === "CellStarted" ? [nameOf(event)] : []))
  assert.includeMembers(results.map(nameOf), started)
  const spent = sumKnown(results.map(({ costUsd }) => costUsd))
  for (const total of [record.totalCostUsd, last.totalCostUsd, snapshot.spentUsd]) close(total, spent)
  scoredFairly(stored)
  attemptsMatch(laboratory, results)
}

/** Every call that was made is in a record: an attempt of its own, or the one that was in flight at the end. */
const attemptsMatch = (laboratory: Laboratory, results: ReadonlyArray<CallResult>): void => {
  const calls = new Map<string, number>()
  for (const { cell } of laboratory.calls) calls.set(cell, (calls.get(cell) ?? 0) + 1)
  for (const result of results) {
    const made = calls.get(nameOf(result)) ?? 0
    const cut = result.stopReason === "run_stopped" || result.error?.kind === "cancelled"
    if (cut) assert.isAtLeast(made, result.attempts.length)
    else assert.strictEqual(result.attempts.length, made, nameOf(result))
  }
}
