import type { Contestant } from "./Contestant.ts"
import type { CaseId, ContestantKey } from "./Ids.ts"
import type { PriceCard } from "./PriceCard.ts"
import type { ProjectIssue } from "./ProjectError.ts"
import type { Scorer } from "./Scorer.ts"
import type {
  Budgets,
  Constraints,
  HookSettings,
  JudgeSettings,
  MetricSettings,
  OutputSettings,
  PricingSettings,
  ProviderProfile,
  RequestDefaults,
  RunSettings,
  ScorerSettings,
  StatisticsSettings,
  WatchSettings
} from "./Settings.ts"
import type { TestCase } from "./TestCase.ts"

/** A loaded project: a folder decoded, nothing executed. `R` is what its inline targets need from the program. */
export interface Project<R = never> {
  /** Key of the project in the store. */
  readonly name: string
  readonly description: string
  /** Absolute path of the folder. */
  readonly root: string
  readonly configFile: string
  readonly contestants: ReadonlyArray<Contestant<R>>
  readonly cases: ReadonlyArray<TestCase>
  readonly providers: ReadonlyArray<ProviderProfile>
  readonly run: RunSettings
  readonly defaults: RequestDefaults
  readonly metrics: MetricSettings
  readonly constraints: Constraints
  readonly statistics: StatisticsSettings
  readonly budgets: Budgets
  readonly watch: WatchSettings
  readonly scorers: ScorerSettings
  readonly judge: JudgeSettings
  readonly hooks: HookSettings
  readonly pricing: PricingSettings
  readonly output: OutputSettings
  /** Variables of the project's `.env`; the process environment wins over them. */
  readonly env: Readonly<Record<string, string>>
  /** The config as written (before defaults), for the run's snapshot; literal secrets are already replaced. */
  readonly raw: unknown
  /** Scorers written in the program itself (`Scorer.make`); those of `scorers/` are loaded by preflight. */
  readonly customScorers: ReadonlyArray<Scorer<R>>
  /** What ranking needs, derived from the fields above; nothing is skipped in it yet. */
  readonly rules: RankingRules
  /** Problems that do not prevent a run. */
  readonly warnings: ReadonlyArray<ProjectIssue>
}

/** What ranking must know about one contestant. `skipped` = why it did not run. */
export interface RankedContestant {
  readonly key: ContestantKey
  readonly label: string
  readonly model: string
  readonly provider: string
  /** Facts for the card constraints; null = no card. */
  readonly card: PriceCard | null
  readonly skipped: string | null
}

/** What ranking must know about one case. */
export interface RankedCase {
  readonly id: CaseId
  readonly weight: number
  readonly tags: ReadonlyArray<string>
}

/** Everything that turns results into a leaderboard; pure data, so that stored results can be ranked under other rules. */
export interface RankingRules {
  readonly metrics: MetricSettings
  readonly constraints: Constraints
  readonly statistics: StatisticsSettings
  readonly contestants: ReadonlyArray<RankedContestant>
  readonly cases: ReadonlyArray<RankedCase>
  readonly trials: number
}
