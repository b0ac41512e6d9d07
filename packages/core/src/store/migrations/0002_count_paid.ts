import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * `paid_usd` is what a result has cost its run when it was written, judges and failed attempts included; null = unknown.
 * It is not `cost_usd`, the price of the answer, which was paid earlier when the answer was cached or is scored again.
 */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    ["results", "superseded_results"].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN paid_usd REAL`,
      `UPDATE ${table} SET paid_usd = cost_usd`
    ]),
    (statement) => sql.unsafe(statement),
    { discard: true }
  )
)
