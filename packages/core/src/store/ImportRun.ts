/** Takes in a run that was exported, all of it or nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { CaseId, ContestantKey } from "../domain/Ids.ts"
import type { RunRecord } from "../domain/Run.ts"
import { knownSpend } from "../domain/Spend.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { writeLeaderboard } from "./EndRun.ts"
import * as ExactJson from "./ExactJson.ts"
import { find } from "./OpenRun.ts"
import * as ResultColumns from "./ResultColumns.ts"
import * as ResultRow from "./ResultRow.ts"
import { insert } from "./RowStatement.ts"
import * as Document from "./RunDocument.ts"
import { deleteRun } from "./RunRemoval.ts"
import { startColumns } from "./RunRow.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import { refuse } from "./StoreFailure.ts"
import * as TextColumn from "./TextColumn.ts"

type Database = StoreDatabase["Service"]

/** Lines that are written in one transaction. */
const groupSize = 500

/** How far the import has come. Until its last line the run is hidden, as a removed one. */
interface Progress {
  readonly pk: number
  readonly run: Document.RunLine
  readonly contestants: Map<ContestantKey, { readonly ix: number; readonly model: string; readonly provider: string }>
  readonly cases: Map<CaseId, number>
  results: number
  ended: boolean
}

const addRun = (transaction: SqliteTransaction, run: Document.RunLine, now: string): Progress | "conflict" => {
  const { record } = run
  if (find(transaction, record.runId) !== undefined) return "conflict"
  transaction.run(
    ...insert("runs", {
      ...startColumns(record),
      status: record.status,
      stop_reason: TextColumn.encodeNullable(record.stopReason),
      finished_at: record.finishedAt,
      duration_ms: record.durationMs,
      winner: TextColumn.encodeNullable(record.winner),
      notes: TextColumn.encodeNullable(run.notes),
      tags: JSON.stringify(run.tags),
      deleted_at: now
    })
  )
  const pk = find(transaction, record.runId)?.pk ?? 0
  transaction.run(
    ...insert("run_documents", {
      run: pk,
      description: TextColumn.encode(run.description),
      rules: ExactJson.stringify(run.rules),
      leaderboard: null
    })
  )
  if (run.leaderboard !== null) writeLeaderboard(transaction, pk, run.leaderboard)
  return { pk, run, contestants: new Map(), cases: new Map(), results: 0, ended: false }
}

const addSegment = (transaction: SqliteTransaction, pk: number, line: Document.SegmentLine): void => {
  transaction.run(
    ...insert("run_segments", {
      run: pk,
      segment: line.segment,
      kind: line.kind,
      started_at: line.startedAt,
      finished_at: line.finishedAt,
      status: line.status,
      stop_reason: TextColumn.encodeNullable(line.stopReason),
      arena_version: line.arenaVersion,
      git_sha: line.gitSha,
      host: line.host === null ? null : JSON.stringify(line.host),
      source_run_id: TextColumn.encodeNullable(line.sourceRunId),
      config: line.config === null ? null : ExactJson.stringify(line.config)
    })
  )
}

const addContestant = (transaction: SqliteTransaction, progress: Progress, line: Document.ContestantLine): void => {
  const ix = progress.contestants.size
  progress.contestants.set(line.key, { ix, model: line.model, provider: line.provider })
  transaction.run(
    ...insert("run_contestants", {
      run: progress.pk,
      ix,
      key: TextColumn.encode(line.key),
      model: TextColumn.encode(line.model),
      provider: TextColumn.encode(line.provider),
      hash: line.hash,
      planned: line.planned ? 1 : 0
    })
  )
}

const addCase = (transaction: SqliteTransaction, progress: Progress, line: Document.CaseLine): void => {
  const ix = progress.cases.size
  progress.cases.set(line.id, ix)
  transaction.run(
    ...insert("run_cases", {
      run: progress.pk,
      ix,
      id: TextColumn.encode(line.id),
      input_hash: line.inputHash,
      scoring_hash: line.scoringHash,
      weight: line.weight,
      tags: JSON.stringify(line.tags),
      planned: line.planned ? 1 : 0
    })
  )
}

/** Why the line does not fit; null when it was written. */
const addResult = (transaction: SqliteTransaction, progress: Progress, line: Document.ResultLine): string | null => {
  const { result, segment } = line
  const contestant = progress.contestants.get(result.contestant)
  const caseIx = progress.cases.get(result.caseId)
  if (contestant === undefined) return `contestant '${result.contestant}' is not in the run`
  if (caseIx === undefined) return `case '${result.caseId}' is not in the run`
  const { ix, model, provider } = contestant
  const place = { run: progress.pk, caseIx, contestantIx: ix, segment, model, provider }
  const params = ResultRow.toParams(place, result, line.paidUsd === undefined ? knownSpend(result) : line.paidUsd)
  progress.results += 1
  if (line.superseded !== null) {
    transaction.run(ResultColumns.insertSuperseded, [...params, line.stale, line.superseded])
    return null
  }
  ResultColumns.write(transaction, 1, params)
  if (line.stale !== 0) {
    transaction.run("UPDATE results SET stale = ? WHERE run = ? AND case_ix = ? AND contestant_ix = ? AND trial = ?", [
      line.stale,
      progress.pk,
      caseIx,
      ix,
      result.trial
    ])
  }
  return null
}

/** Why the run is not whole; null when it is. */
const end = (progress: Progress, expected: number): string | null => {
  progress.ended = true
  return progress.results === expected ? null : `it has ${progress.results} results, not ${expected}`
}

/** Shows the run, now that it is whole. */
const show = (transaction: SqliteTransaction, progress: Progress): void => {
  transaction.run(
    `UPDATE runs SET deleted_at = NULL,
       segment = coalesce((SELECT max(segment) FROM run_segments WHERE run = pk), 1) WHERE pk = ?`,
    [progress.pk]
  )
}

/** Writes a line behind the first one; returns why it does not fit, or null. */
const addLine = (transaction: SqliteTransaction, progress: Progress, line: Document.Line): string | null => {
  if (progress.ended) return "there is more behind the end"
  switch (line.type) {
    case "run":
      return "a second run begins"
    case "segment":
      addSegment(transaction, progress.pk, line)
      return null
    case "contestant":
      addContestant(transaction, progress, line)
      return null
    case "case":
      addCase(transaction, progress, line)
      return null
    case "result":
      return addResult(transaction, progress, line)
    case "end":
      return end(progress, line.results)
  }
}

type Numbered = readonly [text: string, number: number]

/** An import that goes on. `now` marks its run as hidden, and as its own. */
interface Import {
  readonly db: Database
  readonly source: string
  readonly now: string
  progress: Progress | null
}

const invalid = (it: Import, number: number, detail: string): StoreError =>
  refuse("import", `${it.source}:${number}`, "invalid", detail)

const parse = (it: Import, [text, number]: Numbered) =>
  Effect.map(
    Effect.mapError(Document.decode(text), () => invalid(it, number, "it is not a line of an exported run")),
    (line) => [line, number] as const
  )

/** Writes one line; returns why it must not, or null. */
const take = (it: Import, transaction: SqliteTransaction, line: Document.Line, number: number): StoreError | null => {
  if (it.progress !== null) {
    const detail = addLine(transaction, it.progress, line)
    return detail === null ? null : invalid(it, number, detail)
  }
  if (line.type !== "run") return invalid(it, number, "it does not begin with a run")
  const begun = addRun(transaction, line, it.now)
  if (begun === "conflict") {
    return refuse(
      "import",
      it.db.path,
      "conflict",
      `there is a run ${line.record.runId} already`,
      "delete it for good first; when no list shows it, it was removed and can be restored or vacuumed"
    )
  }
  it.progress = begun
  return null
}

const takeGroup = Effect.fnUntraced(function* (it: Import, group: ReadonlyArray<Numbered>) {
  const parsed = yield* Effect.forEach(group, (numbered) => parse(it, numbered))
  const problem = yield* it.db.attempt("import")(
    it.db.sql.transact((transaction) => {
      for (const [line, number] of parsed) {
        const error = take(it, transaction, line, number)
        if (error !== null) return error
      }
      return null
    })
  )
  if (problem !== null) return yield* problem
})

/** Shows the run when it is whole. */
const conclude = Effect.fnUntraced(function* (it: Import) {
  const { db, progress } = it
  if (progress?.ended !== true) return yield* refuse("import", it.source, "invalid", "it was cut off")
  yield* db.attempt("import")(db.sql.transact((transaction) => show(transaction, progress)))
  return progress.run.record
})

/** Removes what was written of a run that did not become whole. */
const forget = ({ db, now, progress }: Import): Effect.Effect<void, StoreError> => {
  if (progress === null) return Effect.void
  const ours = [TextColumn.encode(progress.run.record.runId), now]
  return db.attempt("import")(
    db.sql.transact((transaction) => {
      const rows = transaction.all<{ pk: number }>("SELECT pk FROM runs WHERE run_id = ? AND deleted_at = ?", ours)
      for (const { pk } of rows) deleteRun(transaction, pk)
    })
  )
}

/** See `RunShelf.importRun`. */
export const importRun = <E, R>(
  db: Database,
  lines: Stream.Stream<string, E, R>,
  source: string
): Effect.Effect<RunRecord, StoreError | E, R> =>
  Effect.gen(function* () {
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    const it: Import = { db, source, now, progress: null }
    const whole = lines.pipe(
      Stream.zipWithIndex,
      Stream.map(([text, index]): Numbered => [text, index + 1]),
      Stream.filter(([text]) => text.trim() !== ""),
      Stream.grouped(groupSize),
      Stream.runForEach((group) => takeGroup(it, group)),
      Effect.andThen(Effect.suspend(() => conclude(it)))
    )
    return yield* Effect.onExit(whole, (exit) =>
      Exit.isSuccess(exit) ? Effect.void : Effect.ignore(forget(it), { log: "Warn" })
    )
  })
