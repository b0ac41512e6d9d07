/** Events of a run that are worth a line of their own; the rest is in the figures. */
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { duration, plural, spend } from "@agent-arena/core/report/Figures"
import { stopClause } from "@agent-arena/core/report/ReportModel"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { RunFacts } from "../app/run/RunSource.ts"

interface Stopping {
  readonly reason: string
  readonly inFlight: number
  readonly drainMs: number
}

const stopping = ({ drainMs, inFlight, reason }: Stopping): string => {
  const drain = `${plural(inFlight, "cell")} in flight may take up to ${duration(drainMs)}`
  const sooner = reason === "interrupted" ? "; Ctrl-C again ends them now" : ""
  return `stopping because ${stopClause(reason)}; ${drain}${sooner}`
}

const overspent = (contestant: string | null, spentUsd: number, limitUsd: number): string =>
  `budget of ${contestant ?? "the run"}: ${spend(spentUsd)} spent of ${spend(limitUsd)}`

/** What is known of the run from its start, for what is never heard as an event. */
export type KnownFacts = Pick<RunFacts, "budgetUsd" | "drainMs" | "termDrainMs">

/** Collects remarks from what is heard and from what is seen, each of them once. */
export interface Remarks {
  readonly heard: (event: RunEvent) => void
  readonly seen: (snapshot: RunSnapshot) => void
  /** Those since the last time, safe for a terminal. */
  readonly take: () => ReadonlyArray<string>
}

export const makeRemarks = ({ budgetUsd, drainMs, termDrainMs }: KnownFacts): Remarks => {
  const said = new Set<string>()
  let waiting: Array<string> = []
  const say = (about: string, text: string): void => {
    if (said.has(about)) return
    said.add(about)
    waiting.push(sanitiseLine(text))
  }
  return {
    heard: (event) => {
      switch (event._tag) {
        case "BudgetWarning":
          say(`budget ${event.contestant ?? ""}`, overspent(event.contestant, event.spentUsd, event.limitUsd))
          return
        case "RunStopping":
          say("stop", stopping(event))
      }
    },
    seen: ({ inFlight, phase, spentUsd, stopReason }) => {
      if (budgetUsd !== null && spentUsd !== null && spentUsd > budgetUsd)
        say("budget ", overspent(null, spentUsd, budgetUsd))
      if (phase !== "stopping" || stopReason === null) return
      say(
        "stop",
        stopping({ reason: stopReason, inFlight, drainMs: stopReason === "deadline" ? termDrainMs : drainMs })
      )
    },
    take: () => {
      const taken = waiting
      waiting = []
      return taken
    }
  }
}
