/** An arena that calls nobody: runs of generated events, their records and leaderboards by the real ranking. */
import type { CallResult, Cell } from "@agent-arena/core/domain/CallResult"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import { CaseId, RunId } from "@agent-arena/core/domain/Ids"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { eventVersion, type RunEvent } from "@agent-arena/core/domain/RunEvent"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import * as RunEvents from "@agent-arena/core/engine/RunEvents"
import { rank } from "@agent-arena/core/ranking/Leaderboard"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import { makeColumnReader } from "@agent-arena/tui/src/app/arena/MeasuredColumns.ts"
import { rankMeasured } from "@agent-arena/tui/src/app/arena/RankMeasured.ts"
import type { ArenaSource, ProjectFacts } from "@agent-arena/tui/src/app/run/ArenaSource.ts"
import type { RunSource } from "@agent-arena/tui/src/app/run/RunSource.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeRules } from "./Rules.ts"
import { type SimulationOptions, simulatedEvents, simulatedRunId } from "./SimulatedRun.ts"
import { answers, hostile } from "./Texts.ts"

export interface ArenaOptions extends SimulationOptions {
  /** Events a second of the clock. */
  readonly perSecond: number
}

type CellFinished = Extract<RunEvent, { readonly _tag: "CellFinished" }>

const hash = (text: string): number => {
  let value = 7
  for (const character of text) value = (Math.imul(value, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  return value
}

export const testCase = (id: string): TestCase => ({
  id: CaseId.make(id),
  messages: [{ role: "user", content: `Ticket ${id}: I was charged twice this month. Which queue takes this?` }],
  reference: id.split("-")[0],
  system: "You route support tickets. Answer with one word.",
  scorers: [{ type: "classification", weight: 1, params: {}, position: { file: "tests.yaml", line: 1, column: 1 } }],
  tags: ["easy"],
  weight: 1,
  maxTokens: null,
  temperature: null,
  metadata: {},
  position: { file: "tests.yaml", line: 1, column: 1 }
})

/** The record behind a finished cell. */
export const recordOf = (event: CellFinished): CallResult => {
  const seed = hash(`${event.contestant}${event.caseId}${event.trial}`)
  const texts = seed % 5 === 0 ? hostile : answers
  const failed = event.status === "error"
  return {
    contestant: event.contestant,
    caseId: event.caseId,
    trial: event.trial,
    status: event.status,
    stopReason: event.stopReason,
    model: `model-of-${event.contestant}`,
    provider: "simulated",
    servedModel: null,
    output: failed ? null : (texts[seed % texts.length] ?? ""),
    originalOutput: null,
    reasoning: null,
    score: event.score,
    passed: event.passed,
    reason: failed ? "" : "compared with the reference",
    scores: failed
      ? []
      : [
          {
            scorer: "classification",
            weight: 1,
            score: event.score,
            passed: event.passed,
            reason: "label found",
            detail: { label: "billing" },
            metrics: {}
          }
        ],
    error: event.error,
    latencyMs: event.latencyMs,
    timeToFirstTokenMs: null,
    rateLimitWaitMs: 0,
    retryWaitMs: 0,
    durationMs: event.latencyMs ?? 1000,
    usage: { ...unknownUsage, prompt: event.promptTokens, completion: event.completionTokens },
    costUsd: event.costUsd,
    costSource: event.costUsd === null ? null : "price_book",
    attempts: [{ startedAt: event.at, durationMs: event.latencyMs ?? 1000, error: event.error, waitMs: 0 }],
    steps: [],
    metrics: {},
    finishReason: "stop",
    responseId: null,
    requestId: null,
    toolCalls: [],
    settingsApplied: [],
    settingsDropped: [],
    trace: null,
    startedAt: event.at,
    finishedAt: event.at
  }
}

/** Plays the events of a run into a hub, at the pace of the options, until it is over or stopped. */
const play = (
  options: ArenaOptions,
  hub: RunEvents.RunEventHub,
  gate: Latch.Latch,
  take: (event: CellFinished) => void
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const batch = Math.max(1, Math.round(options.perSecond / 50))
    let pending = 0
    for (const { v: _v, seq: _seq, at: _at, runId: _runId, ...body } of simulatedEvents(options)) {
      const at = clock.currentTimeMillisUnsafe()
      if (body._tag === "CellFinished") take({ v: eventVersion, seq: 0, at, runId: simulatedRunId, ...body })
      hub.publish(body, at)
      pending += 1
      if (pending < batch) continue
      pending = 0
      yield* gate.await
      yield* Effect.sleep((1000 * batch) / options.perSecond)
    }
  })

const makeRun = (options: ArenaOptions): Effect.Effect<RunSource, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const rules = makeRules(options)
    const measured = Measurements.make(rules)
    const readColumns = makeColumnReader(rules, measured)
    const results = new Map<string, CallResult>()
    const key = (cell: Cell) => `${cell.contestant} ${cell.caseId} ${cell.trial}`
    const gate = yield* Latch.make(true)
    const hub = RunEvents.make(simulatedRunId)
    const take = (event: CellFinished) => {
      const result = recordOf(event)
      measured.add(result)
      results.set(key(event), result)
    }
    const planned = options.cases * options.contestants * options.trials
    const playing = yield* Effect.forkScoped(Effect.ensuring(play(options, hub, gate, take), Effect.sync(hub.end)))
    const halt = Effect.asVoid(Fiber.interrupt(playing))
    return {
      facts: {
        id: simulatedRunId,
        project: "support_triage",
        rules,
        startedAt: now(),
        kind: "live",
        budgetUsd: 5,
        drainMs: 30_000,
        termDrainMs: 5000
      },
      readOutcomes: (take) => Effect.sync(() => readColumns(take)),
      events: hub.stream,
      ending: Effect.sync(() =>
        results.size === planned
          ? { status: "completed", stopReason: "completed", finishedAt: now() }
          : { status: "partial", stopReason: "cancelled", finishedAt: now() }
      ),
      rank: rankMeasured(measured),
      leaderboard: Effect.sync(() => rank(rules, measured, { complete: results.size === planned })),
      result: (cell) => Effect.sync(() => results.get(key(cell)) ?? null),
      testCase,
      controls: {
        pause: Effect.andThen(
          gate.close,
          Effect.sync(() => hub.publish({ _tag: "RunPaused" }, now()))
        ),
        resume: Effect.andThen(
          gate.open,
          Effect.sync(() => hub.publish({ _tag: "RunResumed" }, now()))
        ),
        stop: (reason) =>
          Effect.gen(function* () {
            hub.publish({ _tag: "RunStopping", reason, inFlight: options.concurrency, drainMs: 30_000 }, now())
            yield* Effect.sleep(200)
            yield* halt
          }),
        stopNow: () => halt,
        cancelCell: () => Effect.succeed(false)
      }
    }
  })

export const factsOf = (options: ArenaOptions): ProjectFacts => {
  const rules = makeRules(options)
  return {
    name: "support_triage",
    description: "Which queue takes a support ticket?",
    root: "/projects/support_triage",
    candidates: rules.contestants.map((contestant, index) => ({
      key: contestant.key,
      label: contestant.label,
      model: contestant.model,
      provider: contestant.provider,
      skipped: index === 3 ? "ANTHROPIC_API_KEY is not set" : null,
      priced: index !== 2,
      expectedUsd: index === 2 ? null : 0.0004 * (index + 1)
    })),
    cases: rules.cases,
    trials: options.trials,
    concurrency: options.concurrency,
    limits: { requestTimeoutS: 120, idleTimeoutS: null, cellTimeoutS: 300, maxWallS: null },
    budgets: { maxRunUsd: 5, maxModelUsd: null, confirmAboveUsd: null, onExceed: "stop", allowUnpriced: true },
    constraints: rules.constraints,
    warnings: [],
    forecast: "one token for every 4 characters"
  }
}

/** Newest first, as the store lists them. */
export const history = (count: number): ReadonlyArray<RunRecord> =>
  Array.from({ length: count }, (_, index): RunRecord => {
    const statuses = ["completed", "partial", "aborted", "failed", "running"] as const
    const status = statuses[index % statuses.length] ?? "completed"
    return {
      runId: RunId.make(`${simulatedRunId.slice(0, -2)}${String(index).padStart(2, "0")}`),
      project: "support_triage",
      label: null,
      startedAt: `2026-09-${String(30 - (index % 30)).padStart(2, "0")}T10:15:00.000Z`,
      finishedAt: null,
      status,
      stopReason: status === "partial" ? "budget" : status === "aborted" ? "deadline" : status,
      arenaVersion: "0.1.0",
      gitSha: null,
      counts: {
        planned: 600,
        finished: 600 - index * 7,
        interrupted: 0,
        notStarted: index * 7,
        errored: 3,
        timedOut: 0
      },
      contestants: 4,
      cases: 50,
      trials: 3,
      winner: status === "completed" ? "haiku-fast" : null,
      totalCostUsd: index % 3 === 0 ? null : 0.42,
      limits: { requestTimeoutS: 120, idleTimeoutS: null, cellTimeoutS: 300, maxWallS: null },
      host: null,
      heartbeatAt: null,
      durationMs: 61_000
    }
  })

export const simulatedArena = (options: ArenaOptions): ArenaSource => ({
  project: Effect.succeed(factsOf(options)),
  changes: Stream.never,
  start: () => makeRun(options),
  runs: Effect.succeed(history(12)),
  open: () => makeRun(options),
  resume: () => makeRun(options),
  retryCell: null,
  exportReports: () => Effect.succeed("/projects/support_triage/results")
})
