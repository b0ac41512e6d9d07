import type { Leaderboard } from "./Leaderboard.ts"
import type { RankingRules } from "./Project.ts"
import type { RunRecord } from "./Run.ts"

/** What a run came to; the bodies of the results stay in the store. */
export interface RunReport {
  readonly run: RunRecord
  readonly leaderboard: Leaderboard
  /** The rules it was ranked under, with the contestants that were skipped and why. */
  readonly rules: RankingRules
  readonly description: string
  /** What went wrong besides the cells (a row that could not be written); empty on a sound run. */
  readonly problems: ReadonlyArray<string>
}
