import type { LimitChange } from "./limits/RateLimits.ts"
import type { Pace } from "./Pacing.ts"

/** Waits below this are not worth a sentence, ms. */
const shortestTold = 500

/** Changes of a limit that a sentence can hold; the first and the newest count most. */
const mostSteps = 12

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const pathOf = (changes: ReadonlyArray<LimitChange>): string => {
  const limits = changes.map(({ limit }) => String(limit))
  const shown = limits.length <= mostSteps ? limits : [...limits.slice(0, 2), "…", ...limits.slice(-(mostSteps - 3))]
  return shown.join(" → ")
}

const cutsOf = (changes: ReadonlyArray<LimitChange>): number =>
  changes.filter(({ reason }) => reason === "rate_limited").length

/**
 * One sentence for each account whose limits held the run up: how long calls waited for it, and the path of its adaptive
 * limit. `waits` is ms by account.
 */
export const waitNotes = (paces: Iterable<Pace>, waits: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  [...paces].flatMap((pace) => {
    const waited = waits.get(pace.name) ?? 0
    const changes = pace.limiter?.history() ?? []
    const cuts = cutsOf(changes)
    if (waited < shortestTold && cuts === 0) return []
    const path =
      changes.length < 2
        ? ""
        : `; its limit of calls at once went ${pathOf(changes)}${cuts === 0 ? "" : ` (${cuts} cut${cuts === 1 ? "" : "s"} after a 429)`}`
    return [`calls waited ${seconds(waited)} in all for the limits of ${pace.name}${path}`]
  })
