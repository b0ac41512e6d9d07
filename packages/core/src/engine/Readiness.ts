import type { ContestantKey } from "../domain/Ids.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { ProjectIssue } from "../domain/ProjectError.ts"

/** Whether one contestant can run, found out before anything is spent. */
export interface ContestantReadiness {
  readonly key: ContestantKey
  readonly label: string
  readonly model: string
  /** Kind of connector or profile; `unknown` when it could not be decided. */
  readonly provider: string
  /** Why it is left out; null = it runs. */
  readonly skipped: string | null
  /** Whether its calls have a known price, or report their own cost; null = only its answers will tell. */
  readonly priced: boolean | null
  readonly card: PriceCard | null
}

/** What preflight found: who runs, who does not and why, and how much there is to do. */
export interface Readiness {
  readonly contestants: ReadonlyArray<ContestantReadiness>
  readonly cases: number
  readonly trials: number
  /** Ready contestants × cases × trials. */
  readonly planned: number
  readonly warnings: ReadonlyArray<ProjectIssue>
}
