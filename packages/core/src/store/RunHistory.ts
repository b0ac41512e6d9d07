/** How contestants have fared from run to run. */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { ContestantKey } from "../domain/Ids.ts"
import type { EntryStats, EntryStatus, MetricValue } from "../domain/Leaderboard.ts"
import type { RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import * as RunReader from "./RunReader.ts"
import type { RunRow } from "./RunRow.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

/** One contestant in one run. `composite` 0..1. */
export interface PastEntry {
  readonly contestant: ContestantKey
  readonly model: string
  readonly provider: string
  readonly rank: number | null
  readonly status: EntryStatus
  readonly composite: number | null
  readonly metrics: Readonly<Record<string, MetricValue>>
  readonly stats: EntryStats
}

export interface PastRun {
  readonly record: RunRecord
  /**
   * Equal for runs whose figures can be compared: the same cases with the same content and weights, scored by the same
   * rules, the same metrics, and the same number of trials.
   */
  readonly comparable: string
  readonly entries: ReadonlyArray<PastEntry>
}

type Database = StoreDatabase["Service"]

interface RankingRow {
  readonly contestant: string
  readonly model: string
  readonly provider: string
  readonly rank: number | null
  readonly status: EntryStatus
  readonly composite: number | null
  readonly metrics: string
  readonly stats: string
}

const toEntry = (row: RankingRow): PastEntry => ({
  contestant: ContestantKey.make(TextColumn.decode(row.contestant)),
  model: TextColumn.decode(row.model),
  provider: TextColumn.decode(row.provider),
  rank: row.rank,
  status: row.status,
  composite: row.composite,
  metrics: JSON.parse(row.metrics),
  stats: JSON.parse(row.stats)
})

interface CaseRow {
  readonly id: string
  readonly input_hash: string | null
  readonly scoring_hash: string | null
  readonly weight: number
}

const comparableKey = Effect.fnUntraced(function* (db: Database, row: RunRow) {
  const read = db.attempt("read the history")
  const rules = yield* read(
    db.sql<{
      metrics: string
    }>`SELECT json_extract(rules, '$.metrics') AS metrics FROM run_documents WHERE run = ${row.pk}`
  )
  const cases = yield* read(
    db.sql<CaseRow>`SELECT id, input_hash, scoring_hash, weight FROM run_cases
      WHERE run = ${row.pk} AND planned = 1 ORDER BY id`
  )
  const hash = createHash("sha256").update(JSON.stringify([row.trials, rules[0]?.metrics ?? null]))
  for (const { id, input_hash, scoring_hash, weight } of cases) {
    hash.update(JSON.stringify([id, input_hash, scoring_hash, weight]))
  }
  return hash.digest("hex")
})

const toPastRun = Effect.fnUntraced(function* (db: Database, row: RunRow) {
  const rankings = yield* db.attempt("read the history")(
    db.sql<RankingRow>`SELECT * FROM rankings WHERE run = ${row.pk} ORDER BY rank IS NULL, rank, contestant`
  )
  const past: PastRun = {
    record: yield* RunReader.judge(db, row),
    comparable: yield* comparableKey(db, row),
    entries: rankings.map(toEntry)
  }
  return past
})

/** Newest first; runs without a leaderboard have no entries. */
export const history = (db: Database, query: RunReader.RunQuery): Effect.Effect<ReadonlyArray<PastRun>, StoreError> =>
  Effect.flatMap(RunReader.select(db, query), (rows) => Effect.forEach(rows, (row) => toPastRun(db, row)))
