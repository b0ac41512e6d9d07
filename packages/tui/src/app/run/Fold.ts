/** Folds run events into a `RunModel`, thousands a second: no allocation but for the few events that are logged. */
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { duration, plural, usd } from "../terminal/Format.ts"
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
import { append, appendGap } from "./EventLog.ts"
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

const count = (
  tally: Tally,
  score: number,
  costUsd: number,
  promptTokens: number,
  completionTokens: number,
  reused: boolean
): void => {
  if (!Number.isNaN(score)) {
    tally.scoreSum += score
    tally.scored += 1
  }
  if (!Number.isNaN(costUsd)) {
    tally.costUsd += costUsd
    tally.priced += 1
  }
  if (!(Number.isNaN(promptTokens) && Number.isNaN(completionTokens))) {
    tally.promptTokens += promptTokens || 0
    tally.completionTokens += completionTokens || 0
    tally.tokenised += 1
  }
  if (reused) tally.reused += 1
}

/**
 * Records an outcome once; a cell that already has one is left alone, so that a second reading changes nothing. NaN is
 * unknown.
 */
export const recordOutcome = (
  model: RunModel,
  index: number,
  state: CellState,
  score: number,
  latencyMs: number,
  costUsd: number,
  promptTokens: number,
  completionTokens: number
): void => {
  const before = model.states[index] ?? Queued
  if (isFinished(before) || baseState(before) === Interrupted) return
  setState(model, index, state)
  model.scores[index] = score
  model.latencies[index] = latencyMs
  model.version += 1
  const reused = (state & reusedFlag) !== 0
  count(model.total, score, costUsd, promptTokens, completionTokens, reused)
  const own = contestantOf(model, index)
  if (own !== undefined) count(own, score, costUsd, promptTokens, completionTokens, reused)
}

const orNaN = (value: number | null): number => value ?? Number.NaN

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
  const { score, latencyMs, costUsd, promptTokens, completionTokens } = event
  const [prompt, completion] = [orNaN(promptTokens), orNaN(completionTokens)]
  recordOutcome(model, index, state, orNaN(score), orNaN(latencyMs), orNaN(costUsd), prompt, completion)
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
  append(model.log, event.at, "info", `${event.runId} started: ${plural(event.planned, "cell")}`)
  for (const [key, why] of Object.entries(event.skipped))
    append(model.log, event.at, "warning", `${key} skipped: ${why}`)
}

const runFinished = (model: RunModel, event: EventOf<"RunFinished">): void => {
  model.phase = "finished"
  model.inFlight = null
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

/** Sequence numbers that were left out are events that nobody heard. */
const noteGap = (model: RunModel, event: RunEvent): void => {
  const missed = event.seq - model.lastSeq - 1
  if (model.lastSeq === 0 || missed <= 0) return
  model.gaps += missed
  appendGap(model.log, model.lastAt, event.at, missed)
}

/** From `at` on nobody listens; how many events that costs is known when somebody does again. */
export const stopListening = (model: RunModel, at: number): void => {
  appendGap(model.log, model.lastAt, at, 0)
  model.version += 1
}

/** Takes in what the run as a whole says of itself, which makes up for its steps that nobody heard. */
export const catchUp = (model: RunModel, snapshot: RunSnapshot): void => {
  model.retries = Math.max(model.retries, snapshot.retries)
  model.inFlight = snapshot.inFlight
  if (model.phase === snapshot.phase || snapshot.phase === "finished" || model.phase === "finished") return
  if (model.phase === "paused") restart(model.throughput)
  model.phase = snapshot.phase
  model.version += 1
}

/** Takes one event in. */
export const fold = (model: RunModel, event: RunEvent): void => {
  // A reader that comes back is told the beginning again.
  if (event.seq > 0 && event.seq <= model.lastSeq) return
  noteGap(model, event)
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
