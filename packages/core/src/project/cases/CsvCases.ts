import type { IssueLog } from "../source/IssueLog.ts"
import type { Path } from "../source/Path.ts"
import type { SourceText } from "../source/SourceText.ts"
import { quote } from "../source/Suggestion.ts"
import type { CaseRecord } from "./CaseRecord.ts"
import { type Column, readCell, readColumn } from "./CsvColumns.ts"
import { type CsvRow, cellOffset, readRows } from "./CsvRows.ts"

const mostColumns = 1000

interface Sheet {
  readonly source: SourceText
  readonly delimiter: string
  readonly log: IssueLog
}

/** The columns of a header; null where a name is wrong, which is reported. */
const readHeader = ({ source, delimiter, log }: Sheet, header: CsvRow): ReadonlyArray<Column | null> => {
  const seen = new Set<string>()
  return header.cells.map((name, index) => {
    const column = readColumn(name)
    const position = () => source.position(cellOffset(source, header, index, delimiter))
    if ("message" in column) {
      log.error(position(), column.message, column.suggestion)
      return null
    }
    const key = `${column.group ?? ""}.${column.key}`
    if (seen.has(key)) {
      log.error(position(), `duplicate column ${quote(column.name)}`)
      return null
    }
    seen.add(key)
    return column
  })
}

/** A row as the mapping that a YAML file would hold; empty cells are not given. */
const toEntry = (columns: ReadonlyArray<Column | null>, cells: ReadonlyArray<string>): Record<string, unknown> => {
  const entry: Record<string, unknown> = {}
  const groups: Record<"metadata" | "params", Record<string, unknown>> = { metadata: {}, params: {} }
  for (const [index, column] of columns.entries()) {
    const text = cells[index]
    if (column === null || text === undefined || text === "") continue
    const target = column.group === null ? entry : groups[column.group]
    target[column.key] = readCell(column, text)
  }
  if (Object.keys(groups.metadata).length > 0) entry["metadata"] = groups.metadata
  if (Object.keys(groups.params).length > 0) entry["params"] = groups.params
  return entry
}

const columnOf = (columns: ReadonlyArray<Column | null>, path: Path): number =>
  columns.findIndex((column) =>
    column?.group === null ? column.key === path[0] : column?.group === path[0] && column?.key === path[1]
  )

const toRecord = (sheet: Sheet, columns: ReadonlyArray<Column | null>, row: CsvRow, index: number): CaseRecord => {
  const { source, delimiter, log } = sheet
  const position = source.position(row.start)
  const at = (path: Path) => source.position(cellOffset(source, row, columnOf(columns, path), delimiter))
  if (row.cells.length !== columns.length) {
    const message = `the row has ${row.cells.length} cells, the header has ${columns.length}`
    log.error(position, message, row.cells.length > columns.length ? "a cell with a separator in it is quoted" : null)
  }
  const places = () => ({ at, keyAt: at, written: () => null })
  return { value: toEntry(columns, row.cells), index, position, canonical: true, places }
}

/** The cases of a CSV (`,`) or TSV (tab) file with a header; problems go to the log. */
export function* readCsv(source: SourceText, delimiter: string, log: IssueLog): Generator<CaseRecord> {
  const rows = readRows(source, delimiter)
  if ("message" in rows) {
    log.error(rows.position, rows.message, rows.suggestion)
    return
  }
  const [header, ...body] = rows
  if (header === undefined) {
    log.error(source.position(0), "the file is empty", "the first line names the columns: id,input,reference")
    return
  }
  if (header.cells.length > mostColumns) {
    log.error(
      source.position(header.start),
      `${header.cells.length} columns, more than the ${mostColumns} that are read`
    )
    return []
  }
  const sheet: Sheet = { source, delimiter, log }
  const columns = readHeader(sheet, header)
  for (const [index, row] of body.entries()) yield toRecord(sheet, columns, row, index + 1)
}
