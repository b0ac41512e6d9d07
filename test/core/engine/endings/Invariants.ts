/** What holds of every run, whatever happens to it. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { type CellCounts, RunEnding } from "@agent-arena/core/domain/Run"
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import { type Call, type Laboratory, nameOf } from "./Laboratory.ts"
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
  if (snapshot.phase === "finished") assert.strictEqual(snapshot.inFlight, 0)
  else assert.strictEqual(snapshot.inFlight, started - done.filter(({ reused }) => !reused).length)
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
    if (counts.finished === 0) assert.isNull(metrics["accuracy"]?.raw ?? null)
  }
}

/** What one part of a run has left behind: its start, or a time it was resumed. */
export interface Part {
  readonly events: ReadonlyArray<RunEvent>
  readonly snapshot: RunSnapshot
  /** Null when its scope was closed. */
  readonly report: RunReport | null
  readonly stored: Stored
  /** Calls made in this part. */
  readonly calls: ReadonlyArray<Call>
  /** Cells that had an answer when it began. */
  readonly answered: ReadonlyArray<string>
}

/** When a part is over: events, snapshot, report and database tell one story. */
export const atTheEnd = ({ answered, calls, events, report, snapshot, stored }: Part): void => {
  const { record, results, spent } = stored
  const last = events.at(-1)
  assert.strictEqual(last?._tag, "RunFinished")
  if (last?._tag !== "RunFinished" || record === null) throw new Error("the run has no end or no row")
  balanced(record.counts)
  assert.isTrue(isEnding({ status: record.status, stopReason: record.stopReason }), JSON.stringify(record))
  assert.deepEqual<unknown>(last.ending, { status: record.status, stopReason: record.stopReason })
  assert.strictEqual(record.status === "completed", record.counts.finished === record.counts.planned)
  if (record.status === "failed") assert.strictEqual(record.counts.finished, 0)
  if (record.counts.finished === 0) assert.strictEqual(record.status, "failed")
  const told = countsOf(record.counts.planned, results)
  for (const counts of [record.counts, last.counts, snapshot.counts]) assert.deepStrictEqual(counts, told)
  if (report !== null) {
    assert.deepStrictEqual({ ...report.run, heartbeatAt: record.heartbeatAt }, record)
    assert.deepStrictEqual(report.problems, [])
  }
  assert.sameMembers(finishedCells(events).map(nameOf), results.map(nameOf))
  const paid = sumKnown([...spent.values()].map(({ usd }) => usd))
  for (const total of [record.totalCostUsd, last.totalCostUsd, snapshot.spentUsd]) close(total, paid)
  scoredFairly(stored)
  attemptsMatch(calls, events, results, answered)
}

/** Every call that was made is in a record: an attempt of its own, or the one that was in flight at the end. */
const attemptsMatch = (
  calls: ReadonlyArray<Call>,
  events: ReadonlyArray<RunEvent>,
  results: ReadonlyArray<CallResult>,
  answered: ReadonlyArray<string>
): void => {
  const made = new Map<string, number>()
  for (const { cell } of calls) made.set(cell, (made.get(cell) ?? 0) + 1)
  const taken = new Set(finishedCells(events).flatMap((event) => (event.reused ? [nameOf(event)] : [])))
  for (const result of results) {
    const name = nameOf(result)
    const own = made.get(name) ?? 0
    made.delete(name)
    const cut = result.stopReason === "run_stopped" || result.error?.kind === "cancelled"
    if (answered.includes(name)) assert.strictEqual(own, 0, `${name} had its answer already`)
    else if (taken.has(name)) assert.strictEqual(own, 0, `${name} was asked again, but has no record of it`)
    else if (cut) assert.isAtLeast(own, result.attempts.length)
    else assert.strictEqual(result.attempts.length, own, name)
  }
  assert.deepStrictEqual([...made.keys()], [], "calls without a record")
}
