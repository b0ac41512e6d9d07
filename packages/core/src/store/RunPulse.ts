/** How a run stands, without counting its results: cheap enough to ask several times a second. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RunId } from "../domain/Ids.ts"
import type { RunHost, RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { type Liveness, liveness } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import { hostOf } from "./RunRow.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

export interface RunPulse {
  /** `alive` = it goes on; `gone` = its process has died without a word. */
  readonly liveness: Liveness
  /** Number of its present or last part: 1 for its start, more after it was resumed. */
  readonly segment: number
  /** Whether it began with results of before: its own, or copies of another run's. */
  readonly continues: boolean
  /** When that part began, ISO 8601 UTC. */
  readonly partStartedAt: string
  /** The process of that part, where it is known. */
  readonly host: RunHost | null
}

interface PulseRow {
  readonly status: RunRecord["status"]
  readonly started_at: string
  readonly heartbeat_at: string | null
  readonly host: string | null
  readonly segment: number
  readonly part_started_at: string | null
  readonly continues: number
}

/** Null when there is no such run. */
export const pulse = (db: StoreDatabase["Service"], id: RunId): Effect.Effect<RunPulse | null, StoreError> =>
  Effect.gen(function* () {
    const rows = yield* db.attempt("read the run")(
      db.sql<PulseRow>`SELECT status, started_at, heartbeat_at, host, segment,
          (SELECT s.started_at FROM run_segments AS s WHERE s.run = runs.pk AND s.segment = runs.segment) AS part_started_at,
          EXISTS (SELECT 1 FROM run_segments AS s WHERE s.run = runs.pk AND s.segment <> 1) AS continues
        FROM runs WHERE run_id = ${TextColumn.encode(id)}`
    )
    const [row] = rows
    if (row === undefined) return null
    const host = hostOf(row.host)
    const judged = { status: row.status, host, heartbeatAt: row.heartbeat_at, startedAt: row.started_at }
    const now = yield* Clock.currentTimeMillis
    return {
      liveness: liveness(judged, now, yield* LocalProcess.probe),
      segment: row.segment,
      continues: row.continues === 1,
      partStartedAt: row.part_started_at ?? row.started_at,
      host
    }
  })
