import type { IssueLog } from "../source/IssueLog.ts"
import * as JsonScan from "../source/JsonScan.ts"
import * as JsonTree from "../source/JsonTree.ts"
import type { Path } from "../source/Path.ts"
import type { SourceText } from "../source/SourceText.ts"
import type { CaseRecord } from "./CaseRecord.ts"

/** The record of one line that begins at `start`; null when the line is not JSON, which is reported. */
const readLine = (source: SourceText, start: number, line: string, index: number, log: IssueLog): CaseRecord | null => {
  const result = JsonTree.parse(line)
  if ("problem" in result) {
    log.error(source.position(start + result.problem.offset), result.problem.message)
    return null
  }
  const place = (path: Path) => JsonScan.locate(line, path)
  return {
    value: result.value,
    index,
    position: source.position(start),
    canonical: false,
    places: () => ({
      at: (path) => source.position(start + place(path).value),
      keyAt: (path) => source.position(start + place(path).key),
      written: (path) => JsonTree.writtenAt(line, path)
    })
  }
}

/** The cases of a JSONL file, as they are asked for: one JSON value a line; blank lines and `//` lines are left out. */
export function* readJsonLines(source: SourceText, log: IssueLog): Generator<CaseRecord> {
  const { text } = source
  let index = 0
  for (let start = 0; start < text.length && !log.full; ) {
    const newline = text.indexOf("\n", start)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(start, end)
    const indent = line.length - line.trimStart().length
    const body = line.trim()
    if (body !== "" && !body.startsWith("//")) {
      index++
      const record = readLine(source, start + indent, body, index, log)
      if (record !== null) yield record
    }
    start = end + 1
  }
}
