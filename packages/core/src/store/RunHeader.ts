import type { ContestantKey } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { CellCounts, RunEnding, RunRecord } from "../domain/Run.ts"

/** What is written before the first call of a run. Hashes are content hashes (`domain/ContentHash.ts`), hex. */
export interface RunHeader {
  readonly record: RunRecord
  readonly rules: RankingRules
  readonly description: string
  /** Hash of everything that can change an answer of this contestant. */
  readonly contestantHashes: ReadonlyMap<ContestantKey, string>
  /** Hash of a case's input and hash of its scoring, by case in plan order. */
  readonly caseHashes: ReadonlyArray<{ readonly input: string; readonly scoring: string }>
  /** The project's config as written, secrets replaced; JSON. */
  readonly config: unknown
}

/** How a run ended, as written by its finalizer. `leaderboard` is null when nothing could be ranked. */
export interface RunFooter {
  readonly ending: RunEnding
  readonly counts: CellCounts
  readonly finishedAt: string
  readonly durationMs: number
  readonly totalCostUsd: number | null
  readonly winner: string | null
  readonly leaderboard: Leaderboard | null
}
