/** The parts that a run is made of. */
import * as Effect from "effect/Effect"
import { RunId } from "../domain/Ids.ts"
import type { RunStatus } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

/** A start, a resume, or results taken over from another run. Times are ISO 8601 UTC. */
export interface RunSegment {
  /** 1 and up for what the run did itself; 0 and down for what it took over. */
  readonly segment: number
  readonly kind: "start" | "resume" | "reuse"
  readonly startedAt: string
  /** Null while it goes on, and when its process died. */
  readonly finishedAt: string | null
  readonly status: RunStatus | null
  readonly stopReason: string | null
  readonly arenaVersion: string
  readonly gitSha: string | null
  /** For `reuse`: the run that the results are from. */
  readonly sourceRunId: RunId | null
  /** How many results of the run are from this part. */
  readonly results: number
}

/** What a row of `run_segments` says of a part. */
export interface SegmentRow {
  readonly segment: number
  readonly kind: RunSegment["kind"]
  readonly started_at: string
  readonly finished_at: string | null
  readonly status: RunStatus | null
  readonly stop_reason: string | null
  readonly arena_version: string
  readonly git_sha: string | null
  readonly source_run_id: string | null
}

export const fromRow = (row: SegmentRow): Omit<RunSegment, "results"> => ({
  segment: row.segment,
  kind: row.kind,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  status: row.status,
  stopReason: TextColumn.decodeNullable(row.stop_reason),
  arenaVersion: row.arena_version,
  gitSha: row.git_sha,
  sourceRunId: row.source_run_id === null ? null : RunId.make(TextColumn.decode(row.source_run_id))
})

export const segments = (
  db: StoreDatabase["Service"],
  id: RunId
): Effect.Effect<ReadonlyArray<RunSegment>, StoreError> =>
  Effect.map(
    db.attempt("read the run")(
      db.sql<
        SegmentRow & { readonly results: number }
      >`SELECT s.*, (SELECT count(*) FROM results AS r WHERE r.run = s.run AND r.segment = s.segment
          AND r.stale = 0) AS results
        FROM run_segments AS s JOIN runs ON runs.pk = s.run WHERE runs.run_id = ${TextColumn.encode(id)}
        ORDER BY s.started_at, s.segment`
    ),
    (rows) => rows.map((row): RunSegment => ({ ...fromRow(row), results: row.results }))
  )
