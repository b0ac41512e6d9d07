import type { ContestantKey, RunId } from "../../domain/Ids.ts"
import type { EntryStatus } from "../../domain/Leaderboard.ts"
import type { RunStatus } from "../../domain/Run.ts"

/** One contestant in one run. `composite` 0..1. */
export interface WatchedEntry {
  readonly status: EntryStatus
  readonly composite: number | null
  /** Hash of everything that can change its answers; null = not known. */
  readonly hash: string | null
}

/** A run as far as it matters to a comparison over time. */
export interface WatchedRun {
  readonly runId: RunId
  readonly status: RunStatus
  /** Equal for runs of the same cases with the same content and weights under the same rules. */
  readonly comparable: string
  readonly entries: ReadonlyMap<ContestantKey, WatchedEntry>
}

/** What a contestant is held against, or why there is nothing. */
export type Baseline =
  | { readonly _tag: "Runs"; readonly runs: readonly [WatchedRun, ...ReadonlyArray<WatchedRun>] }
  /** No comparable run has finished before. */
  | { readonly _tag: "First" }
  /** Comparable runs have it, but as something else: another model, prompt, module or price. */
  | { readonly _tag: "Changed" }

const hashOf = (run: WatchedRun, key: ContestantKey): string | null => run.entries.get(key)?.hash ?? null

/**
 * The runs that a contestant of `current` is held against, newest first, at most `limit`. A run that did not finish its
 * plan says something about other cases than the plan names; other rules or another contestant say something about
 * another thing: none of them is a baseline. A contestant that did not run has no hash; it is held against whatever it was.
 */
export const baselineOf = (
  current: WatchedRun,
  earlier: ReadonlyArray<WatchedRun>,
  key: ContestantKey,
  limit: number
): Baseline => {
  const known = earlier.filter(
    (run) =>
      run.runId !== current.runId &&
      run.status === "completed" &&
      run.comparable === current.comparable &&
      run.entries.has(key)
  )
  const hash = hashOf(current, key)
  const [newest, ...others] = known.filter((run) => hash === null || hashOf(run, key) === hash).slice(0, limit)
  if (newest !== undefined) return { _tag: "Runs", runs: [newest, ...others] }
  return known.length === 0 ? { _tag: "First" } : { _tag: "Changed" }
}
