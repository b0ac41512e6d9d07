/** Tells what a store and a live file say of a run as the events that its own process would have told. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { RunId } from "@agent-arena/core/domain/Ids"
import { eventVersion, type RunEvent, type RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { finishedEvent } from "@agent-arena/core/engine/FinishedEvent"
import type { LiveDocument } from "@agent-arena/core/engine/live/LiveState"

export interface Retelling {
  /** A result that was not there before. `reused` = it is from an earlier part of the run. */
  readonly finished: (result: CallResult, reused: boolean) => void
  /** What has happened since it was asked last, `at` Unix epoch ms. Events that nobody kept leave a gap in `seq`. */
  readonly take: (live: LiveDocument | null, at: number) => ReadonlyArray<RunEvent>
}

type Stamp = Pick<RunEvent, "v" | "seq" | "at" | "runId">
type Phase = RunSnapshot["phase"]

/** Results that wait to be told; more come too fast to be told one by one. */
const mostWaiting = 20_000

/** The step that leads to a phase. */
const stepTo = ({ phase, inFlight, stopReason }: RunSnapshot, drainMs: number, stamp: Stamp): RunEvent | null => {
  switch (phase) {
    case "paused":
      return { _tag: "RunPaused", ...stamp }
    case "running":
      return { _tag: "RunResumed", ...stamp }
    case "stopping":
      return { _tag: "RunStopping", ...stamp, reason: stopReason ?? "cancelled", inFlight, drainMs }
    case "finished":
      return null
  }
}

const phaseAfter = (event: RunEvent, before: Phase): Phase => {
  switch (event._tag) {
    case "RunPaused":
      return "paused"
    case "RunResumed":
      return "running"
    case "RunStopping":
      return "stopping"
    default:
      return before
  }
}

export const makeRetelling = (runId: RunId): Retelling => {
  let seq = 0
  let waiting: Array<(stamp: Stamp) => RunEvent> = []
  let lost = 0
  /** What was told of the live file so far. */
  let lastSeq = 0
  let told: number | null = null
  let phase: Phase = "running"
  let flying: ReadonlySet<string> = new Set()

  const stamp = (at: number): Stamp => {
    seq += 1
    return { v: eventVersion, seq, at, runId }
  }

  const ofLive = (live: LiveDocument): ReadonlyArray<RunEvent> => {
    const news = live.events.filter((event) => event.seq > lastSeq)
    // Some were told and forgotten between two looks.
    seq += told === null ? 0 : Math.max(0, live.told - told - news.length)
    told = live.told
    lastSeq = Math.max(lastSeq, live.snapshot.seq)
    const events = news.map((event): RunEvent => ({ ...event, ...stamp(event.at) }))
    for (const event of events) phase = phaseAfter(event, phase)
    if (phase === live.snapshot.phase) return events
    const step = stepTo(live.snapshot, live.drainMs, stamp(live.at))
    phase = live.snapshot.phase
    return step === null ? events : [...events, step]
  }

  const started = (live: LiveDocument): ReadonlyArray<RunEvent> => {
    const now = new Set<string>()
    const events = live.inFlight.flatMap(({ caseId, contestant, startedAt, trial }): ReadonlyArray<RunEvent> => {
      const key = `${contestant}\n${caseId}\n${trial}`
      now.add(key)
      return flying.has(key) ? [] : [{ _tag: "CellStarted", ...stamp(startedAt), contestant, caseId, trial }]
    })
    flying = now
    return events
  }

  return {
    finished: (result, reused) => {
      if (waiting.length >= mostWaiting) lost += 1
      else waiting.push((stamp) => ({ ...finishedEvent(result, reused), ...stamp }))
    },
    take: (live, at) => {
      seq += lost
      lost = 0
      const ended = waiting
      waiting = []
      const steps = live === null ? [] : [...ofLive(live), ...started(live)]
      return [...steps, ...ended.map((event) => event(stamp(at)))]
    }
  }
}
