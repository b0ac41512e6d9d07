import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import type { ContestantKey, RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { CellCounts, RunEnding, RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"

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

/** The only writer of one run. */
export interface RunWriter {
  /** Completes when the result is committed (group commit: concurrent writers share one transaction). */
  readonly write: (result: CallResult) => Effect.Effect<void, StoreError>
  /** Says that the run is alive. */
  readonly heartbeat: (at: string) => Effect.Effect<void, StoreError>
  /** Writes what is pending, the leaderboard and the run's row. Idempotent. */
  readonly finish: (footer: RunFooter) => Effect.Effect<void, StoreError>
}

export interface RunQuery {
  readonly project?: string
  readonly limit?: number
  readonly includeDeleted?: boolean
  readonly includeArchived?: boolean
}

/** The durable memory of runs, one SQLite file a project. Everything here can be used while another process writes. */
export class ResultStore extends Context.Service<
  ResultStore,
  {
    /** Path of the database file. */
    readonly path: string
    /** Writes the run's row (`running`) and opens its writer; closing the scope flushes what is pending. */
    readonly begin: (header: RunHeader) => Effect.Effect<RunWriter, StoreError, Scope.Scope>
    /** Newest first. */
    readonly runs: (query: RunQuery) => Effect.Effect<ReadonlyArray<RunRecord>, StoreError>
    /** `latest` = the newest run that is not deleted. Null when there is none. */
    readonly run: (id: RunId | "latest") => Effect.Effect<RunRecord | null, StoreError>
    readonly header: (
      id: RunId
    ) => Effect.Effect<{ readonly rules: RankingRules; readonly description: string } | null, StoreError>
    readonly leaderboard: (id: RunId) => Effect.Effect<Leaderboard | null, StoreError>
    /** All results in plan order (case, contestant, trial), read in pages so that memory does not grow. */
    readonly results: (id: RunId) => Stream.Stream<CallResult, StoreError>
    readonly result: (id: RunId, cell: Cell) => Effect.Effect<CallResult | null, StoreError>
  }
>()("@agent-arena/core/store/ResultStore") {}
