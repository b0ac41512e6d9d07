/** Grades that were given elsewhere: `id`, or `contestant`, `case` and `trial`; `score`; `reason`. */
import { extname } from "node:path"
import { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { format, type SourcePosition } from "@agent-arena/core/domain/SourcePosition"
import { readRows } from "@agent-arena/core/project/cases/CsvRows"
import { readJsonLines } from "@agent-arena/core/project/cases/JsonLines"
import { IssueLog } from "@agent-arena/core/project/source/IssueLog"
import * as JsonTree from "@agent-arena/core/project/source/JsonTree"
import * as ProjectFiles from "@agent-arena/core/project/source/ProjectFiles"
import type { SourceText } from "@agent-arena/core/project/source/SourceText"
import { suggest } from "@agent-arena/core/project/source/Suggestion"
import * as YamlTree from "@agent-arena/core/project/source/YamlTree"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A file of grades that cannot be taken; nothing of it was. */
export class GradeFileError extends Schema.TaggedError<GradeFileError>()("GradeFileError", {
  issues: Schema.NonEmptyArray(ProjectIssue)
}) {
  override get message(): string {
    const lines = this.issues.map(
      ({ message, position, suggestion }) =>
        `${format(position)}  ${message}${suggestion === null ? "" : ` (${suggestion})`}`
    )
    return [...lines, "no grade was taken"].join("\n")
  }
}

/** A row with a grade in it. */
export interface GradeRow {
  readonly position: SourcePosition
  readonly answer:
    | { readonly id: string }
    | { readonly contestant: string; readonly caseId: string; readonly trial: number }
  /** 0..1. */
  readonly score: number
  readonly reason: string
}

interface RawRow {
  readonly position: SourcePosition
  readonly value: unknown
}

const limit = 64 * 1024 * 1024

/** Columns that are read; those of the exported sheet beside them are only for the reader. */
const read = ["id", "contestant", "case", "trial", "score", "reason"]
const shown = ["question", "expected", "rubric", "answer"]
const others: Readonly<Record<string, string>> = { case_id: "case", test_id: "case", grade: "score", note: "reason" }

const nameOf = (written: string): string => {
  const name = written.trim().toLowerCase()
  return others[name] ?? name
}

const csvRows = (source: SourceText, delimiter: string, log: IssueLog): ReadonlyArray<RawRow> => {
  const rows = readRows(source, delimiter)
  if ("message" in rows) {
    log.error(rows.position, rows.message, rows.suggestion)
    return []
  }
  const [header, ...body] = rows
  const names = header?.cells ?? []
  const meant = names.map(nameOf).filter((name) => name !== "")
  const twice = meant.find((name, index) => meant.indexOf(name) < index)
  if (twice !== undefined) {
    log.error(source.position(header?.start ?? 0), `two columns mean "${twice}"`, "keep one of them")
    return []
  }
  return body.map(({ cells, start }) => ({
    position: source.position(start),
    value: Object.fromEntries(cells.flatMap((cell, index) => (cell === "" ? [] : [[names[index] ?? "", cell]])))
  }))
}

const listRows = (source: SourceText, make: typeof YamlTree.make, log: IssueLog): ReadonlyArray<RawRow> => {
  const tree = make(source)
  if (!("value" in tree)) {
    for (const { message, position, suggestion } of tree) log.error(position, message, suggestion)
    return []
  }
  for (const { message, position, suggestion } of tree.problems) log.error(position, message, suggestion)
  const { value } = tree
  if (Array.isArray(value)) return value.map((one: unknown, index) => ({ position: tree.at([index]), value: one }))
  log.error(tree.at([]), "expected a list of grades", "- { id: a1b2c3d4e5f60718, score: 1, reason: … }")
  return []
}

const rowsOf = (source: SourceText, path: string, log: IssueLog): ReadonlyArray<RawRow> => {
  switch (extname(path).toLowerCase()) {
    case ".csv":
      return csvRows(source, ",", log)
    case ".tsv":
      return csvRows(source, "\t", log)
    case ".jsonl":
    case ".ndjson":
      return [...readJsonLines(source, log)]
    case ".json":
      return listRows(source, JsonTree.make, log)
    case ".yaml":
    case ".yml":
      return listRows(source, YamlTree.make, log)
    default:
      log.error(
        { file: source.file, line: null, column: null },
        "not a file of grades",
        "csv, tsv, jsonl, json or yaml"
      )
      return []
  }
}

const words: Readonly<Record<string, number>> = { pass: 1, p: 1, yes: 1, true: 1, fail: 0, f: 0, no: 0, false: 0 }

/** A score as people write it: 0..1, pass or fail; null when it is none. */
export const readScore = (written: unknown): number | null => {
  if (typeof written === "boolean") return written ? 1 : 0
  const text = String(written).trim().toLowerCase()
  const number = Object.hasOwn(words, text) ? words[text] : /^\d*\.?\d+$/.test(text) ? Number(text) : undefined
  return number === undefined || number > 1 ? null : number
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

/** Undoes the apostrophe that keeps a spreadsheet from executing a text. */
const textOf = (value: unknown): string => (isGiven(value) ? String(value).replace(/^'(?=\s*[=+\-@])/, "") : "")

const answerOf = (fields: ReadonlyMap<string, unknown>): GradeRow["answer"] | string => {
  const [id, contestant, caseId] = ["id", "contestant", "case"].map((name) => textOf(fields.get(name)))
  if (contestant !== undefined && contestant !== "") {
    const trial = isGiven(fields.get("trial")) ? Number(fields.get("trial")) : 1
    if (caseId === undefined || caseId === "") return "it names a contestant and no case"
    return Number.isInteger(trial) && trial > 0
      ? { contestant, caseId, trial }
      : "trial must be a whole number from 1 on"
  }
  return id === undefined || id === "" ? "it names no answer: id, or contestant, case and trial" : { id }
}

/** The grade of a row; null when the row has no score yet, or is wrong, which is reported. */
const toGrade = ({ position, value }: RawRow, log: IssueLog): GradeRow | null => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    log.error(position, "a grade is a mapping: id, score, reason")
    return null
  }
  const fields = new Map(Object.entries(value).map(([name, own]) => [nameOf(name), own] as const))
  for (const name of fields.keys()) {
    if (read.includes(name) || shown.includes(name)) continue
    log.error(position, `there is no column "${name}" in a file of grades`, suggest(name, read, "columns"))
    return null
  }
  if (fields.size < Object.keys(value).length) {
    log.error(position, "two fields of this grade mean the same", `${read.join(", ")} are read`)
    return null
  }
  const written = fields.get("score")
  if (!isGiven(written)) return null
  const score = readScore(written)
  if (score === null) {
    log.error(position, `"${String(written)}" is no score`, "0..1, pass or fail")
    return null
  }
  const answer = answerOf(fields)
  if (typeof answer !== "string") return { position, answer, score, reason: textOf(fields.get("reason")) }
  log.error(position, answer)
  return null
}

/** The grades of a file, and where to say what is wrong with them. Rows without a score are left out. */
export const readGrades = Effect.fnUntraced(function* (path: string) {
  const log = new IssueLog()
  const source = yield* Effect.mapError(
    ProjectFiles.readText(path, path, limit),
    (issue) => new GradeFileError({ issues: [issue] })
  )
  const rows = rowsOf(source, path, log).flatMap((row) => {
    const grade = toGrade(row, log)
    return grade === null ? [] : [grade]
  })
  return { rows, log }
})

/** Fails with everything that is wrong, if anything is. */
export const settled = (log: IssueLog): Effect.Effect<void, GradeFileError> => {
  const [first, ...rest] = log.errors
  return first === undefined ? Effect.void : Effect.fail(new GradeFileError({ issues: [first, ...rest] }))
}
