/** Copies the results that two runs have in common, inside the database. */
import type { RunId } from "../domain/Ids.ts"
import { find } from "./OpenRun.ts"
import * as ResultColumns from "./ResultColumns.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import * as TextColumn from "./TextColumn.ts"

export interface ReuseRequest {
  readonly from: RunId
  /** A run that has begun. */
  readonly into: RunId
  /** Whether errors and time-outs are outcomes worth keeping, too. Interrupted cells never are. */
  readonly keepErrors: boolean
}

const copied = ResultColumns.columns.filter(
  (column) => !["case_ix", "contestant_ix", "segment", "stale", "record"].includes(column)
)

/** A row leaves out the model and the provider where they are its contestant's; the new one may say something else. */
const record = `CASE WHEN old_k.model = k.model AND old_k.provider = k.provider THEN r.record
  ELSE json_insert(coalesce(r.record, '{}'), '$.model', old_k.model, '$.provider', old_k.provider) END`

/** Parameters: from, into, segment, keepErrors (0 or 1). */
const statement = `INSERT INTO results (run, case_ix, contestant_ix, segment, stale, record, ${copied.join(", ")})
SELECT ?2, c.ix, k.ix, ?3, CASE WHEN c.scoring_hash IS old_c.scoring_hash THEN r.stale ELSE 1 END, ${record},
  ${copied.map((column) => `r.${column}`).join(", ")}
FROM results AS r
JOIN run_cases AS old_c ON old_c.run = r.run AND old_c.ix = r.case_ix
JOIN run_contestants AS old_k ON old_k.run = r.run AND old_k.ix = r.contestant_ix
JOIN run_cases AS c ON c.run = ?2 AND c.id = old_c.id AND c.input_hash = old_c.input_hash AND c.planned = 1
JOIN run_contestants AS k ON k.run = ?2 AND k.key = old_k.key AND k.hash = old_k.hash AND k.planned = 1
WHERE r.run = ?1 AND r.stale < 2 AND r.stop_reason <> 'run_stopped' AND (r.status = 'ok' OR ?4)
  AND r.trial <= (SELECT trials FROM runs WHERE pk = ?2)
ON CONFLICT DO NOTHING`

/**
 * Returns how many results were copied; null when one of the runs does not exist. `now` is ISO 8601. Copies get a segment
 * of their own, numbered downwards from 0, so that whatever the run itself measures is newer.
 */
export const copyResults = (transaction: SqliteTransaction, request: ReuseRequest, now: string): number | null => {
  const from = find(transaction, request.from)
  const into = find(transaction, request.into)
  if (from === undefined || into === undefined) return null
  const lowest = transaction.all<{ lowest: number }>("SELECT min(segment) AS lowest FROM run_segments WHERE run = ?", [
    into.pk
  ])[0]
  const segment = Math.min(1, lowest?.lowest ?? 1) - 1
  transaction.run(
    `INSERT INTO run_segments (run, segment, kind, started_at, finished_at, arena_version, git_sha, source_run_id)
     VALUES (?, ?, 'reuse', ?, ?, ?, ?, ?)`,
    [into.pk, segment, now, now, from.arena_version, from.git_sha, TextColumn.encode(request.from)]
  )
  transaction.run(statement, [from.pk, into.pk, segment, request.keepErrors ? 1 : 0])
  return transaction.all<{ copied: number }>("SELECT changes() AS copied", [])[0]?.copied ?? 0
}
