/**
 * Everything the screen knows about one run, compact: a byte and two floats for each cell, running totals for the
 * rest. Mutable and outside React; `version` grows with every change. No text of a model is held here.
 */
import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { displayText } from "../terminal/DisplayText.ts"
import { type CellState, isProblem, Queued, Skipped, stateCount } from "./CellState.ts"
import { type EventLog, makeEventLog } from "./EventLog.ts"
import { makeThroughput, type Throughput } from "./Throughput.ts"

/** Totals over a set of cells. Costs USD, tokens as reported. */
export interface Tally {
  /** Cells by state index, reused ones counted with their outcome. */
  readonly byState: Uint32Array
  /** Sum of known costs, and how many cells have one. */
  costUsd: number
  priced: number
  promptTokens: number
  completionTokens: number
  tokenised: number
  /** Sum and number of known scores. */
  scoreSum: number
  scored: number
  reused: number
}

export interface ContestantModel {
  readonly key: string
  readonly label: string
  readonly model: string
  readonly provider: string
  /** Why it does not run; null = it runs. */
  readonly skipped: string | null
  readonly tally: Tally
}

export type Phase = "running" | "paused" | "stopping" | "finished"

/** How the run ended; null while it goes on. */
export interface Ending {
  readonly status: string
  readonly stopReason: string
}

/** An ending with its time, Unix epoch ms; null = not known. */
export interface TimedEnding extends Ending {
  readonly finishedAt: number | null
  /** What the store says of this end (`endMark`): another one means that the run went on after it. */
  readonly mark?: string | null
}

/** The end of a run as its record has it; a run whose process died has the last sign of life instead. */
export const endMark = (record: Pick<RunRecord, "finishedAt" | "heartbeatAt">): string | null =>
  record.finishedAt ?? record.heartbeatAt

export interface RunModel {
  readonly id: string
  readonly project: string
  readonly contestants: ReadonlyArray<ContestantModel>
  readonly caseIds: ReadonlyArray<string>
  /** The ids as they may be shown. */
  readonly caseNames: ReadonlyArray<string>
  readonly caseTags: ReadonlyArray<ReadonlyArray<string>>
  readonly trials: number
  /** Cells that are to run; skipped contestants are not among them. */
  readonly planned: number
  readonly states: Uint8Array
  /** Score of each cell, NaN = none. */
  readonly scores: Float32Array
  /** Latency of the successful attempt, ms, NaN = unknown. */
  readonly latencies: Float32Array
  readonly total: Tally
  readonly log: EventLog
  readonly throughput: Throughput
  readonly caseIndex: ReadonlyMap<string, number>
  readonly contestantIndex: ReadonlyMap<string, number>
  phase: Phase
  ending: Ending | null
  startedAt: number
  /** Time of the last event, Unix epoch ms. */
  lastAt: number
  finishedAt: number | null
  retries: number
  /** Cells in flight as the run itself says, once its events have gaps; null = as many as are marked as running. */
  inFlight: number | null
  rateLimitWaits: number
  rateLimitedUntil: number
  drainMs: number
  /** Events that were not heard because they came too fast; the cells are read again when it grows. */
  gaps: number
  lastSeq: number
  version: number
}

export const makeTally = (): Tally => ({
  byState: new Uint32Array(stateCount),
  costUsd: 0,
  priced: 0,
  promptTokens: 0,
  completionTokens: 0,
  tokenised: 0,
  scoreSum: 0,
  scored: 0,
  reused: 0
})

/** What identifies a run before anything happened in it. */
export interface RunOutline {
  readonly id: string
  readonly project: string
  readonly rules: Pick<RankingRules, "contestants" | "cases" | "trials">
  /** Unix epoch ms. */
  readonly startedAt: number
}

const indexed = (keys: ReadonlyArray<string>): ReadonlyMap<string, number> =>
  new Map(keys.map((key, index) => [key, index]))

const initialStates = (model: {
  readonly contestants: ReadonlyArray<ContestantModel>
  readonly cases: number
  readonly trials: number
}): Uint8Array => {
  const { contestants, cases, trials } = model
  const states = new Uint8Array(cases * contestants.length * trials).fill(Queued)
  contestants.forEach((contestant, column) => {
    const state = contestant.skipped === null ? Queued : Skipped
    contestant.tally.byState[state] = cases * trials
    if (state === Queued) return
    for (let row = 0; row < cases; row++) {
      const start = (row * contestants.length + column) * trials
      states.fill(Skipped, start, start + trials)
    }
  })
  return states
}

export const makeRunModel = (outline: RunOutline): RunModel => {
  const { rules } = outline
  const contestants = rules.contestants.map(
    ({ key, label, model, provider, skipped }): ContestantModel => ({
      key,
      label: displayText(label),
      model: displayText(model),
      provider: displayText(provider),
      skipped,
      tally: makeTally()
    })
  )
  const caseIds = rules.cases.map((entry) => entry.id)
  const cells = caseIds.length * contestants.length * rules.trials
  const states = initialStates({ contestants, cases: caseIds.length, trials: rules.trials })
  const total = makeTally()
  for (const { tally } of contestants) addCounts(total.byState, tally.byState)
  return {
    id: outline.id,
    project: outline.project,
    contestants,
    caseIds,
    caseNames: caseIds.map(displayText),
    caseTags: rules.cases.map((entry) => entry.tags),
    trials: rules.trials,
    planned: cells - (total.byState[Skipped] ?? 0),
    states,
    scores: new Float32Array(cells).fill(Number.NaN),
    latencies: new Float32Array(cells).fill(Number.NaN),
    total,
    log: makeEventLog(),
    throughput: makeThroughput(),
    caseIndex: indexed(caseIds),
    contestantIndex: indexed(contestants.map((contestant) => contestant.key)),
    phase: "running",
    ending: null,
    startedAt: outline.startedAt,
    lastAt: outline.startedAt,
    finishedAt: null,
    retries: 0,
    inFlight: null,
    rateLimitWaits: 0,
    rateLimitedUntil: 0,
    drainMs: 0,
    gaps: 0,
    lastSeq: 0,
    version: 0
  }
}

const addCounts = (sum: Uint32Array, counts: Uint32Array): void => {
  for (let state = 0; state < stateCount; state++) sum[state] = (sum[state] ?? 0) + (counts[state] ?? 0)
}

/** Position of a cell in the arrays; `trial` is 1-based. */
export const cellIndex = (
  model: Pick<RunModel, "contestants" | "trials">,
  caseIndex: number,
  contestant: number,
  trial: number
): number => (caseIndex * model.contestants.length + contestant) * model.trials + trial - 1

/** The coordinates behind an index, as indices; `trial` is 1-based. */
export const cellAt = (
  model: Pick<RunModel, "contestants" | "trials">,
  index: number
): { readonly caseIndex: number; readonly contestant: number; readonly trial: number } => {
  const perCase = model.contestants.length * model.trials
  const inCase = index % perCase
  return {
    caseIndex: Math.floor(index / perCase),
    contestant: Math.floor(inCase / model.trials),
    trial: (inCase % model.trials) + 1
  }
}

export const stateOf = (model: RunModel, index: number): CellState => model.states[index] ?? Queued

/** Number of cells in a state (without the mark of reuse). */
export const countOf = (tally: Tally, state: number): number => tally.byState[state] ?? 0

/** First trial of a cell that failed, else the first: the one worth looking at. */
export const worthwhileTrial = (model: RunModel, caseIndex: number, contestant: number): number => {
  for (let trial = 1; trial <= model.trials; trial++) {
    if (isProblem(stateOf(model, cellIndex(model, caseIndex, contestant, trial)))) return trial
  }
  return 1
}
