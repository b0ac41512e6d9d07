/** Takes what earlier runs could not write into the database. */
import { readFileSync, renameSync, statSync, unlinkSync } from "node:fs"
import * as Cause from "effect/Cause"
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

/** What a side file holds: its lines, and how many whole ones this program does not understand. */
interface SideFile {
  readonly lines: ReadonlyArray<Line>
  readonly unread: number
}

const isGone = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

/** Reads a file of ours; null when it belongs to somebody else or is gone. Throws when it cannot be read. */
const readSideFile = (file: string): SideFile | null => {
  try {
    const facts = statSync(file)
    if (!facts.isFile() || (process.getuid !== undefined && facts.uid !== process.getuid())) return null
    // What follows the last line end was cut off while it was written, and its writer was told so.
    const whole = readFileSync(file, "utf8").split("\n").slice(0, -1)
    const lines = whole.flatMap((text) => {
      const line = decodeLine(text)
      return line._tag === "Some" ? [line.value] : []
    })
    return { lines, unread: whole.length - lines.length }
  } catch (cause) {
    if (isGone(cause)) return null
    throw cause
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

/** `later`: its run goes on. `orphaned`: this database does not know its run. */
type Outcome = "written" | "later" | "orphaned"

/** Writes the lines, unless their run says that they must wait or do not belong here. */
const writeLines = (
  transaction: SqliteTransaction,
  lines: ReadonlyArray<Line>,
  now: number,
  probe: ProcessProbe
): Outcome => {
  const [first] = lines
  if (first === undefined) return "written"
  const row = find(transaction, first.runId)
  if (row === undefined) return "orphaned"
  // Its writer may be adding to the file at this moment, unless the file says how the run has ended.
  const isOver = lines.some(({ footer, segment }) => footer !== undefined && segment === row.segment)
  if (!isOver && liveness(toRecord(row), now, probe) === "alive") return "later"
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
  return "written"
}

/** Keeps a file that could not be taken in, under a name that is not looked for again; says where and why. */
const setAside = Effect.fnUntraced(function* (file: string, now: number, why: string) {
  const aside = `${file}.${now}.unread`
  renameSync(file, aside)
  yield* Effect.logWarning(`${file}: ${why}; it is kept as ${aside}`)
})

const importFile = Effect.fnUntraced(function* (db: StoreDatabase["Service"], file: string) {
  const found = readSideFile(file)
  if (found === null) return
  const { lines, unread } = found
  const now = yield* Clock.currentTimeMillis
  const probe = yield* LocalProcess.probe
  const outcome = yield* db.attempt("import the side file")(
    db.sql.transact((transaction) => writeLines(transaction, lines, now, probe))
  )
  if (outcome === "later") return
  if (outcome === "orphaned") return yield* setAside(file, now, "this database has no such run")
  if (lines.length > 0) {
    yield* Effect.logInfo(
      `${db.path}: took in ${lines.length} record(s) that could not be written before, from ${file}`
    )
  }
  if (unread > 0) return yield* setAside(file, now, `${unread} record(s) are not understood by this program`)
  unlinkSync(file)
})

/** Imports every side file of the database whose run no longer goes on; a file that cannot be imported yet stays. */
export const importAll = (db: StoreDatabase["Service"]): Effect.Effect<void> =>
  Effect.forEach(
    Spill.files(db.path),
    (file) =>
      Effect.catchCause(importFile(db, file), (cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        const error = Cause.squash(cause)
        return Effect.logWarning(`${file} was not imported: ${error instanceof Error ? error.message : String(error)}`)
      }),
    { discard: true }
  )
