/** What is to be graded, as a file to fill in. */
import { extname } from "node:path"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { field } from "@agent-arena/core/report/CsvReport"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CommandError } from "../../process/Failure.ts"
import type { Item } from "./items.ts"
import { textsOf } from "./texts.ts"

interface Row {
  readonly id: string
  readonly case: string
  readonly contestant?: string
  readonly trial?: number
  readonly question: string
  readonly expected: string
  readonly rubric: string
  readonly answer: string
  readonly score: string
  readonly reason: string
}

const names = ["id", "case", "question", "expected", "rubric", "answer", "score", "reason"] as const
const openNames = ["id", "case", "contestant", "trial", ...names.slice(2)] as const

const csvLine = (row: Row, columns: ReadonlyArray<keyof Row>): string =>
  `${columns.map((name) => field(row[name] ?? null)).join(",")}\n`

/** The rows of the file; one an answer, or one a cell when contestants are named. */
export const sheet = Effect.fnUntraced(function* (
  project: Project,
  store: ResultStore["Service"],
  run: RunRecord,
  items: ReadonlyArray<Item>,
  options: { readonly file: string; readonly open: boolean }
) {
  const kind = extname(options.file).toLowerCase()
  if (kind !== ".csv" && kind !== ".jsonl") {
    const message = `${options.file}: what is to be graded is written as .csv or .jsonl`
    return yield* new CommandError({ kind: "usage", message, suggestion: "--export grades.csv" })
  }
  const columns = options.open ? openNames : names
  const rows = Stream.fromIterable(items).pipe(
    Stream.flatMap((item) =>
      Stream.fromIterable(options.open ? item.cells : item.cells.slice(0, 1)).pipe(
        Stream.mapEffect((cell) =>
          Effect.map(store.result(run.runId, cell), (result): Row => {
            const place = options.open ? { contestant: cell.contestant, trial: cell.trial } : {}
            const texts = textsOf(project, item.caseId)
            return {
              id: item.id,
              case: item.caseId,
              ...place,
              ...texts,
              answer: result?.output ?? "",
              score: "",
              reason: ""
            }
          })
        )
      )
    )
  )
  return kind === ".jsonl"
    ? Stream.map(rows, (row) => `${JSON.stringify(row)}\n`)
    : Stream.concat(
        Stream.succeed(`${columns.join(",")}\n`),
        Stream.map(rows, (row) => csvLine(row, columns))
      )
})
