/** Takes what earlier runs could not write into the database. */
import { readFileSync, statSync, unlinkSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CallResult } from "../domain/CallResult.ts"
import { RunId } from "../domain/Ids.ts"
import { Leaderboard } from "../domain/Leaderboard.ts"
import { CellCounts, RunEnding } from "../domain/Run.ts"
import { knownSpend } from "../domain/Spend.ts"
import * as EndRun from "./EndRun.ts"
import { liveness, type ProcessProbe } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import { find } from "./OpenRun.ts"
import * as ResultColumns from "./ResultColumns.ts"
import * as ResultRow from "./ResultRow.ts"
import { type RunRow, toRecord } from "./RunRow.ts"
import * as Spill from "./Spill.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

const Footer = Schema.Struct({
  ending: RunEnding,
  counts: CellCounts,
  finishedAt: Schema.String,
  durationMs: Schema.Finite,
  totalCostUsd: Schema.NullOr(Schema.Finite),
  winner: Schema.NullOr(Schema.String),
  leaderboard: Schema.NullOr(Leaderboard)
})

const Line = Schema.Struct({
  runId: RunId,
  segment: Schema.Int,
  result: Schema.optionalKey(CallResult),
  paidUsd: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  footer: Schema.optionalKey(Footer)
})
type Line = typeof Line.Type

const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))

/** The lines of a file of ours; null when it belongs to somebody else or is gone. */
const readLines = (file: string): ReadonlyArray<Line> | null => {
  try {
    const facts = statSync(file)
    if (!facts.isFile() || (process.getuid !== undefined && facts.uid !== process.getuid())) return null
    // A line that does not decode was cut off while it was written, and its writer was told so.
    return readFileSync(file, "utf8")
      .split("\n")
      .flatMap((text) => {
        const line = decodeLine(text)
        return line._tag === "Some" ? [line.value] : []
      })
  } catch {
    return null
  }
}

interface Spot {
  readonly case_ix: number
  readonly contestant_ix: number
  readonly model: string
  readonly provider: string
}

const writeResult = (
  transaction: SqliteTransaction,
  row: RunRow,
  segment: number,
  result: CallResult,
  paidUsd: number | null
): void => {
  const spot = transaction.all<Spot>(
    `SELECT c.ix AS case_ix, k.ix AS contestant_ix, k.model, k.provider FROM run_cases AS c
     JOIN run_contestants AS k ON k.run = c.run WHERE c.run = ? AND c.id = ? AND k.key = ?`,
    [row.pk, TextColumn.encode(result.caseId), TextColumn.encode(result.contestant)]
  )[0]
  if (spot === undefined) return
  const place = {
    run: row.pk,
    caseIx: spot.case_ix,
    contestantIx: spot.contestant_ix,
    segment,
    model: TextColumn.decode(spot.model),
    provider: TextColumn.decode(spot.provider)
  }
  ResultColumns.write(transaction, segment, ResultRow.toParams(place, result, paidUsd))
}

/** Writes the lines; returns whether the file is done with. */
const writeLines = (
  transaction: SqliteTransaction,
  lines: ReadonlyArray<Line>,
  now: number,
  probe: ProcessProbe
): boolean => {
  const [first] = lines
  if (first === undefined) return true
  const row = find(transaction, first.runId)
  // Its run was deleted for good.
  if (row === undefined) return true
  // Its writer may be adding to the file at this moment.
  if (liveness(toRecord(row), now, probe) === "alive") return false
  for (const line of lines) {
    const { result, paidUsd } = line
    if (result !== undefined) {
      writeResult(transaction, row, line.segment, result, paidUsd === undefined ? knownSpend(result) : paidUsd)
    }
    const open = { pk: row.pk, segment: line.segment }
    if (line.footer !== undefined && EndRun.stateOf(transaction, open) === "open")
      EndRun.finish(transaction, open, line.footer)
  }
  // The row was written without them.
  EndRun.recount(transaction, first.runId)
  return true
}

const importFile = Effect.fnUntraced(function* (db: StoreDatabase["Service"], file: string) {
  const lines = readLines(file)
  if (lines === null) return
  const now = yield* Clock.currentTimeMillis
  const probe = yield* LocalProcess.probe
  const done = yield* db.attempt("import the side file")(
    db.sql.transact((transaction) => writeLines(transaction, lines, now, probe))
  )
  if (!done) return
  const removed = yield* Effect.exit(Effect.try(() => unlinkSync(file)))
  if (removed._tag === "Success" && lines.length > 0) {
    yield* Effect.logInfo(
      `${db.path}: took in ${lines.length} record(s) that could not be written before, from ${file}`
    )
  }
})

/** Imports every side file of the database whose run no longer goes on; a file that cannot be imported yet stays. */
export const importAll = (db: StoreDatabase["Service"]): Effect.Effect<void> =>
  Effect.forEach(
    Spill.files(db.path),
    (file) =>
      Effect.catch(importFile(db, file), (error) => Effect.logWarning(`${file} was not imported: ${error.message}`)),
    { discard: true }
  )
