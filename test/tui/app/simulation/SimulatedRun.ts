/** A run that never calls anybody: generated events at a chosen pace, for tests and benchmarks of the screen. */
import type { CallResult, Cell } from "@agent-arena/core/domain/CallResult"
import { RunId } from "@agent-arena/core/domain/Ids"
import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import { eventVersion } from "@agent-arena/core/domain/RunEvent"
import { makeRules, type Shape } from "./Rules.ts"

/** Small, fast and the same everywhere: mulberry32. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export interface SimulationOptions extends Shape {
  readonly seed: number
  /** Cells in flight at once. */
  readonly concurrency: number
  /** Simulated time between two finished cells, ms. */
  readonly stepMs: number
  readonly startedAt: number
}

export const simulatedRunId = RunId.make("run_20260902_101500_ab12cd")

type Body = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, "v" | "seq" | "at" | "runId">
    : never
  : never

const outcomeOf = (cell: Cell, column: number, random: () => number) => {
  const draw = random()
  const skill = 0.95 - column * 0.07
  const base = {
    ...cell,
    promptTokens: 200 + Math.floor(random() * 100),
    completionTokens: Math.floor(random() * 80),
    attempts: 1,
    reused: false
  }
  if (draw > 0.985) {
    const error = {
      kind: "generation" as const,
      reason: "server" as const,
      status: 500,
      source: null,
      message: "server (500): upstream connect error"
    }
    return {
      ...base,
      status: "error" as const,
      stopReason: "error" as const,
      score: null,
      passed: null,
      latencyMs: null,
      costUsd: null,
      error
    }
  }
  if (draw > 0.98) {
    const error = {
      kind: "timeout" as const,
      reason: null,
      status: null,
      source: null,
      message: "the cell took longer than 300 s"
    }
    return {
      ...base,
      status: "error" as const,
      stopReason: "timeout" as const,
      score: null,
      passed: null,
      latencyMs: null,
      costUsd: null,
      error
    }
  }
  const score = draw < skill ? 1 : draw < skill + 0.04 ? 0.5 : 0
  return {
    ...base,
    status: "ok" as const,
    stopReason: "answered" as const,
    score,
    passed: score === 1,
    latencyMs: 300 + column * 120 + random() * 400,
    costUsd: 0.0004 * (column + 1),
    error: null
  }
}

/** All events of the run in order, lazily. */
export function* simulatedEvents(options: SimulationOptions): Generator<RunEvent> {
  const rules = makeRules(options)
  const random = seeded(options.seed)
  let seq = 0
  let at = options.startedAt
  const stamp = (body: Body): RunEvent =>
    ({ v: eventVersion, seq: ++seq, at, runId: simulatedRunId, ...body }) as RunEvent
  const planned = options.cases * options.contestants * options.trials
  yield stamp({
    _tag: "RunStarted",
    project: "support_triage",
    contestants: rules.contestants.map((c) => c.key),
    skipped: {},
    cases: options.cases,
    trials: options.trials,
    planned
  })
  const flight: Array<{ readonly cell: Cell; readonly column: number }> = []
  let errored = 0
  const finish = function* (): Generator<RunEvent> {
    const [next] = flight.splice(Math.floor(random() * flight.length), 1)
    if (next === undefined) return
    at += options.stepMs
    if (random() < 0.01) {
      const error = {
        kind: "generation" as const,
        reason: "rate_limited" as const,
        status: 429,
        source: null,
        message: "rate_limited (429): slow down"
      }
      yield stamp({ _tag: "AttemptFailed", ...next.cell, attempt: 1, error, retryInMs: 900 })
      yield stamp({ _tag: "RateLimited", provider: "anthropic", waitMs: 900 })
    }
    const outcome = outcomeOf(next.cell, next.column, random)
    if (outcome.status === "error") errored += 1
    yield stamp({ _tag: "CellFinished", ...outcome })
  }
  for (let trial = 1; trial <= options.trials; trial++) {
    for (const testCase of rules.cases) {
      for (const [column, contestant] of rules.contestants.entries()) {
        if (flight.length >= options.concurrency) yield* finish()
        const cell = { contestant: contestant.key, caseId: testCase.id, trial }
        flight.push({ cell, column })
        yield stamp({ _tag: "CellStarted", ...cell })
      }
    }
  }
  while (flight.length > 0) yield* finish()
  yield stamp({
    _tag: "RunFinished",
    ending: { status: "completed", stopReason: "completed" },
    counts: { planned, finished: planned, interrupted: 0, notStarted: 0, errored, timedOut: 0 },
    totalCostUsd: null
  })
}

export type { CallResult }
