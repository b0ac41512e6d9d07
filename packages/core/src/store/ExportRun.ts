/** A run as lines of JSON. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CaseId, ContestantKey, type RunId } from "../domain/Ids.ts"
import type { StoreError } from "../domain/StoreError.ts"
import * as ExactJson from "./ExactJson.ts"
import * as KeptResults from "./KeptResults.ts"
import * as Document from "./RunDocument.ts"
import { judge } from "./RunReader.ts"
import { hostOf, type RunRow } from "./RunRow.ts"
import * as RunSegments from "./RunSegments.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import { refuse } from "./StoreFailure.ts"
import * as TextColumn from "./TextColumn.ts"

type Database = StoreDatabase["Service"]

const line = (value: Document.Line): string => `${ExactJson.stringify(value)}\n`

interface DocumentRow {
  readonly description: string
  readonly rules: string
  readonly leaderboard: string | null
}

const runLine = Effect.fnUntraced(function* (db: Database, row: RunRow) {
  const documents = yield* db.attempt("export")(db.sql<DocumentRow>`SELECT * FROM run_documents WHERE run = ${row.pk}`)
  const document = documents[0]
  const run: Document.RunLine = {
    type: "run",
    format: Document.format,
    version: Document.version,
    record: yield* judge(db, row),
    notes: TextColumn.decodeNullable(row.notes),
    tags: JSON.parse(row.tags),
    description: TextColumn.decode(document?.description ?? ""),
    rules: JSON.parse(document?.rules ?? "{}"),
    leaderboard: document === undefined || document.leaderboard === null ? null : JSON.parse(document.leaderboard)
  }
  return run
})

interface SegmentDocumentRow extends RunSegments.SegmentRow {
  readonly host: string | null
  readonly config: string | null
}

const segmentLines = (db: Database, pk: number) =>
  Effect.map(
    db.attempt("export")(db.sql<SegmentDocumentRow>`SELECT * FROM run_segments WHERE run = ${pk} ORDER BY segment`),
    (rows) =>
      rows.map(
        (row): Document.SegmentLine => ({
          type: "segment",
          ...RunSegments.fromRow(row),
          host: hostOf(row.host),
          config: row.config === null ? null : JSON.parse(row.config)
        })
      )
  )

interface ContestantRow {
  readonly key: string
  readonly model: string
  readonly provider: string
  readonly hash: string | null
  readonly planned: number
}

const contestantLines = (db: Database, pk: number) =>
  Effect.map(
    db.attempt("export")(db.sql<ContestantRow>`SELECT * FROM run_contestants WHERE run = ${pk} ORDER BY ix`),
    (rows) =>
      rows.map(
        (row): Document.ContestantLine => ({
          type: "contestant",
          key: ContestantKey.make(TextColumn.decode(row.key)),
          model: TextColumn.decode(row.model),
          provider: TextColumn.decode(row.provider),
          hash: row.hash,
          planned: row.planned === 1
        })
      )
  )

interface CaseRow {
  readonly id: string
  readonly input_hash: string | null
  readonly scoring_hash: string | null
  readonly weight: number
  readonly tags: string
  readonly planned: number
}

const caseLines = (db: Database, pk: number) =>
  Effect.map(db.attempt("export")(db.sql<CaseRow>`SELECT * FROM run_cases WHERE run = ${pk} ORDER BY ix`), (rows) =>
    rows.map(
      (row): Document.CaseLine => ({
        type: "case",
        id: CaseId.make(TextColumn.decode(row.id)),
        inputHash: row.input_hash,
        scoringHash: row.scoring_hash,
        weight: row.weight,
        tags: JSON.parse(row.tags),
        planned: row.planned === 1
      })
    )
  )

/** The run as it stands, complete in itself: every result, also those that no longer count. */
export const exportRun = (db: Database, id: RunId): Stream.Stream<string, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const rows = yield* db.attempt("export")(
        db.sql<RunRow>`SELECT * FROM runs WHERE run_id = ${TextColumn.encode(id)}`
      )
      const [row] = rows
      if (row === undefined) return yield* refuse("export", db.path, "not_found", `there is no run ${id}`)
      const head = [
        yield* runLine(db, row),
        ...(yield* segmentLines(db, row.pk)),
        ...(yield* contestantLines(db, row.pk)),
        ...(yield* caseLines(db, row.pk))
      ]
      let results = 0
      const body = Stream.map(KeptResults.everything(db, row.pk), (kept) => {
        results += 1
        return line({ type: "result", ...kept })
      })
      const end = Stream.suspend(() => Stream.succeed(line({ type: "end", results })))
      return Stream.fromIterable(head).pipe(Stream.map(line), Stream.concat(body), Stream.concat(end))
    })
  )
