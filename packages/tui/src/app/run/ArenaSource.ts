/** What the program as a whole needs of the arena: the project, new runs, and the memory of old ones. */
import type { Cell } from "@agent-arena/core/domain/CallResult"
import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import type { Limits, RunRecord } from "@agent-arena/core/domain/Run"
import type { Budgets, Constraints } from "@agent-arena/core/domain/Settings"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Refusal, RunSource } from "./RunSource.ts"

/** One contestant before the run: whether it can take part. */
export interface Candidate {
  readonly key: string
  readonly label: string
  readonly model: string
  readonly provider: string
  /** Why it cannot run; null = ready. */
  readonly skipped: string | null
  /** Whether its calls have a known price; null = only its answers will tell. */
  readonly priced: boolean | null
  /** Forecast of the cost of one call, USD; null = it cannot be told. */
  readonly expectedUsd: number | null
}

/** A project that was loaded and checked: what the start screen shows. */
export interface ProjectFacts {
  readonly name: string
  readonly description: string
  readonly root: string
  readonly candidates: ReadonlyArray<Candidate>
  readonly cases: ReadonlyArray<{ readonly id: string; readonly tags: ReadonlyArray<string> }>
  readonly trials: number
  readonly concurrency: number
  readonly limits: Limits
  readonly budgets: Budgets
  readonly constraints: Constraints
  readonly warnings: ReadonlyArray<ProjectIssue>
  /** What the forecasts of cost rest on, in one sentence. */
  readonly forecast: string
}

/** A project that cannot run as it is. */
export interface ProjectProblems {
  readonly _tag: "ProjectProblems"
  readonly issues: ReadonlyArray<ProjectIssue>
}

/** What was chosen on the start screen. */
export interface StartChoice {
  readonly contestants: ReadonlyArray<string>
  /** Cases with one of these tags; empty = all. */
  readonly tags: ReadonlyArray<string>
  readonly trials: number
  readonly concurrency: number
}

export interface ArenaSource {
  /** Loads and checks the project as it stands now. */
  readonly project: Effect.Effect<ProjectFacts, ProjectProblems>
  /** Something in the project's folder changed. */
  readonly changes: Stream.Stream<void>
  readonly start: (choice: StartChoice) => Effect.Effect<RunSource, Refusal, Scope.Scope>
  /** The project's runs, newest first. */
  readonly runs: Effect.Effect<ReadonlyArray<RunRecord>, Refusal>
  /** A run of the past, or one that is going on in another process. */
  readonly open: (run: RunRecord) => Effect.Effect<RunSource, Refusal, Scope.Scope>
  /** Goes on with a run that did not finish; what was answered is kept. Null = not possible. */
  readonly resume: ((run: RunRecord) => Effect.Effect<RunSource, Refusal, Scope.Scope>) | null
  /** Goes on with an ended run and asks one cell again, whatever its outcome. Null = not possible. */
  readonly retryCell: ((run: string, cell: Cell) => Effect.Effect<RunSource, Refusal, Scope.Scope>) | null
  /** Writes the reports of a run; the path of what was written. */
  readonly exportReports: (run: string) => Effect.Effect<string, Refusal>
}
