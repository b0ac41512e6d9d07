/** Folds run events into a `RunModel`, thousands a second: no allocation but for the few events that are logged. */
import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import { duration, usd } from "../terminal/Format.ts"
import {
  baseState,
  type CellState,
  Failed,
  Interrupted,
  isFinished,
  outcomeState,
  Queued,
  Running,
  reusedFlag,
  states as stateNames,
  TimedOut
} from "./CellState.ts"
import { append } from "./EventLog.ts"
import { cellIndex, countOf, type RunModel, type Tally } from "./RunModel.ts"
import { restart, sample } from "./Throughput.ts"

type EventOf<Tag extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: Tag }>

/** Index of an event's cell, or -1 when the run does not know it. */
const locate = (model: RunModel, event: { contestant: string; caseId: string; trial: number }): number => {
  const caseIndex = model.caseIndex.get(event.caseId)
  const contestant = model.contestantIndex.get(event.contestant)
  if (caseIndex === undefined || contestant === undefined || event.trial < 1 || event.trial > model.trials) return -1
  return cellIndex(model, caseIndex, contestant, event.trial)
}

const shift = (tally: Tally, from: number, to: number): void => {
  tally.byState[from] = (tally.byState[from] ?? 0) - 1
  tally.byState[to] = (tally.byState[to] ?? 0) + 1
}

const contestantOf = (model: RunModel, index: number): Tally | undefined =>
  model.contestants[Math.floor(index / model.trials) % model.contestants.length]?.tally

/** Puts a cell into a state and keeps all counts right. */
export const setState = (model: RunModel, index: number, state: CellState): void => {
  const before = baseState(model.states[index] ?? Queued)
  model.states[index] = state
  const after = baseState(state)
  if (before === after) return
  shift(model.total, before, after)
  const own = contestantOf(model, index)
  if (own !== undefined) shift(own, before, after)
}

/** The numbers of a finished cell; unknown ones are null. */
export interface CellNumbers {
  readonly score: number | null
  readonly latencyMs: number | null
  readonly costUsd: number | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

const count = (tally: Tally, numbers: CellNumbers, reused: boolean): void => {
  if (numbers.score !== null) {
    tally.scoreSum += numbers.score
    tally.scored += 1
  }
  if (numbers.costUsd !== null) {
    tally.costUsd += numbers.costUsd
    tally.priced += 1
  }
  if (numbers.promptTokens !== null || numbers.completionTokens !== null) {
    tally.promptTokens += numbers.promptTokens ?? 0
    tally.completionTokens += numbers.completionTokens ?? 0
    tally.tokenised += 1
  }
  if (reused) tally.reused += 1
}

/** Records an outcome once; a cell that already has one is left alone, so that a second reading changes nothing. */
export const recordOutcome = (model: RunModel, index: number, state: CellState, numbers: CellNumbers): void => {
  const before = model.states[index] ?? Queued
  if (isFinished(before) || baseState(before) === Interrupted) return
  setState(model, index, state)
  model.scores[index] = numbers.score ?? Number.NaN
  model.latencies[index] = numbers.latencyMs ?? Number.NaN
  const reused = (state & reusedFlag) !== 0
  count(model.total, numbers, reused)
  const own = contestantOf(model, index)
  if (own !== undefined) count(own, numbers, reused)
}

/** Cells with an outcome of their own. */
export const finishedCells = (tally: Tally): number => {
  let finished = 0
  for (let state = 0; state < stateNames.length; state++) if (isFinished(state)) finished += countOf(tally, state)
  return finished
}

const cellFinished = (model: RunModel, event: EventOf<"CellFinished">): void => {
  const index = locate(model, event)
  if (index < 0) return
  const state = outcomeState(event) | (event.reused ? reusedFlag : 0)
  recordOutcome(model, index, state, event)
  const base = baseState(state)
  if (base === Failed || base === TimedOut) {
    const reason = event.error === null ? event.stopReason : event.error.message
    append(model.log, event.at, "error", `${event.contestant} › ${event.caseId}  ${reason}`, index)
  }
  sample(model.throughput, event.at, finishedCells(model.total))
}

const attemptFailed = (model: RunModel, event: EventOf<"AttemptFailed">): void => {
  if (event.retryInMs === null) return
  model.retries += 1
  const text = `${event.contestant} › ${event.caseId}  attempt ${event.attempt} failed, again in ${duration(event.retryInMs)}: ${event.error.message}`
  append(model.log, event.at, "warning", text, locate(model, event))
}

const runStarted = (model: RunModel, event: EventOf<"RunStarted">): void => {
  model.startedAt = event.at
  append(model.log, event.at, "info", `run ${event.runId} started: ${event.planned} cells`)
  for (const [key, why] of Object.entries(event.skipped))
    append(model.log, event.at, "warning", `${key} skipped: ${why}`)
}

const runFinished = (model: RunModel, event: EventOf<"RunFinished">): void => {
  model.phase = "finished"
  model.finishedAt = event.at
  model.ending = event.ending
  const { status, stopReason } = event.ending
  append(model.log, event.at, "info", `run ${status}${stopReason === status ? "" : ` (${stopReason})`}`)
}

/** A step of the run as a whole: rare, so it may be told in words. */
const runStep = (model: RunModel, event: RunEvent): void => {
  switch (event._tag) {
    case "RateLimited":
      model.rateLimitWaits += 1
      model.rateLimitedUntil = Math.max(model.rateLimitedUntil, event.at + event.waitMs)
      append(model.log, event.at, "warning", `${event.provider} is rate limited, waiting ${duration(event.waitMs)}`)
      return
    case "BudgetWarning": {
      const whose = event.contestant === null ? "the run" : event.contestant
      append(model.log, event.at, "warning", `${whose} has spent ${usd(event.spentUsd)} of ${usd(event.limitUsd)}`)
      return
    }
    case "RunPaused":
      model.phase = "paused"
      append(model.log, event.at, "info", "paused: no new cells are started")
      return
    case "RunResumed":
      model.phase = "running"
      restart(model.throughput)
      append(model.log, event.at, "info", "resumed")
      return
    case "RunStopping":
      model.phase = "stopping"
      model.drainMs = event.drainMs
      append(model.log, event.at, "warning", `stopping (${event.reason}): ${event.inFlight} cells may finish`)
      return
    case "RunFinished":
      runFinished(model, event)
  }
}

/** Takes one event in. */
export const fold = (model: RunModel, event: RunEvent): void => {
  // A reader that comes back is told the beginning again.
  if (event.seq > 0 && event.seq <= model.lastSeq) return
  if (model.lastSeq > 0 && event.seq > model.lastSeq + 1) model.gaps += event.seq - model.lastSeq - 1
  if (event.seq > model.lastSeq) model.lastSeq = event.seq
  if (event.at > model.lastAt) model.lastAt = event.at
  model.version += 1
  switch (event._tag) {
    case "CellStarted": {
      const index = locate(model, event)
      if (index >= 0 && model.states[index] === Queued) setState(model, index, Running)
      return
    }
    case "CellFinished":
      cellFinished(model, event)
      return
    case "AttemptFailed":
      attemptFailed(model, event)
      return
    case "RunStarted":
      runStarted(model, event)
      return
    default:
      runStep(model, event)
  }
}
