/** Rows of a CSV or TSV text (RFC 4180) and where they stand. */
import { CsvError } from "csv-parse"
import { type InfoRecord, parse } from "csv-parse/sync"
import type { SourceText } from "../source/SourceText.ts"
import type { SyntaxProblem } from "../source/SourceTree.ts"

/** A row as text; `start` and `end` are offsets of the file. */
export interface CsvRow {
  readonly cells: ReadonlyArray<string>
  readonly start: number
  readonly end: number
}

const problems: Readonly<Record<string, readonly [message: string, suggestion: string]>> = {
  CSV_QUOTE_NOT_CLOSED: ["a quotation mark is not closed", "quotes inside a quoted cell are doubled"],
  INVALID_OPENING_QUOTE: [
    "a quotation mark inside a cell that is not quoted",
    "quote the whole cell, doubling quotes inside it"
  ],
  CSV_MAX_RECORD_SIZE: ["a row of more than 16 million characters", "is a quotation mark not closed?"],
  CSV_INVALID_CLOSING_QUOTE: ["text after a closing quotation mark", "quotes inside a quoted cell are doubled"]
}

/** Characters of one row; a quotation mark that is never closed would else swallow the rest of the file. */
const largestRow = 16 * 1024 * 1024

interface RawRow {
  readonly record: ReadonlyArray<string>
  readonly info: InfoRecord
}

const parseRows = (bytes: Buffer, delimiter: string): ReadonlyArray<RawRow> =>
  // The declaration of the package does not know that `info: true` changes the shape of a record.
  parse(bytes, {
    delimiter,
    info: true,
    max_record_size: largestRow,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true
  }) as unknown as ReadonlyArray<RawRow>

/** All rows but empty lines; or why the text is not CSV. */
export const readRows = (source: SourceText, delimiter: string): ReadonlyArray<CsvRow> | SyntaxProblem => {
  const bytes = Buffer.from(source.text, "utf8")
  const ascii = bytes.length === source.text.length
  /** Offsets of the text for offsets of its bytes, asked in ascending order. */
  let seenBytes = 0
  let seenText = 0
  const toText = (offset: number): number => {
    if (ascii) return offset
    seenText += bytes.toString("utf8", seenBytes, offset).length
    seenBytes = offset
    return seenText
  }
  try {
    let start = 0
    return parseRows(bytes, delimiter).map(({ record, info }) => {
      while (bytes[start] === 10 || bytes[start] === 13) start++
      const row = { cells: record, start: toText(start), end: toText(info.bytes) }
      start = info.bytes
      return row
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const [message, suggestion] = problems[error.code] ?? ["it cannot be read as CSV", null]
    const at = Number(Reflect.get(error, "bytes") ?? 0)
    const offset = bytes.toString("utf8", 0, at).length
    const begin = /^[\r\n]*/.exec(source.text.slice(offset))?.[0].length ?? 0
    return { position: source.position(offset + begin), message: `not valid CSV: ${message}`, suggestion }
  }
}

/** Offset of the cell `index` of a row, from its quotation mark if it has one. */
export const cellOffset = (source: SourceText, row: CsvRow, index: number, delimiter: string): number => {
  let column = 0
  let quoted = false
  for (let at = row.start; at < row.end; at++) {
    if (column === index) return at
    const character = source.text[at]
    if (character === '"') quoted = !quoted
    else if (!quoted && character === delimiter) column++
  }
  return column === index ? row.end : row.start
}
