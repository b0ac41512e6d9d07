import type { IssueLog } from "../source/IssueLog.ts"
import * as JsonScan from "../source/JsonScan.ts"
import * as JsonTree from "../source/JsonTree.ts"
import type { Path } from "../source/Path.ts"
import type { SourceText } from "../source/SourceText.ts"
import type { SourceTree, SyntaxProblem } from "../source/SourceTree.ts"
import { findList } from "../source/YamlList.ts"
import * as YamlTree from "../source/YamlTree.ts"
import { type CaseDefaults, listKeys } from "./CaseFile.ts"
import { caseList } from "./CaseList.ts"
import type { CaseRecord } from "./CaseRecord.ts"
import { readFrame, readPieces } from "./YamlPieces.ts"

/** The records of a file and the defaults it gives them. */
export interface CaseFileContent {
  readonly records: Iterable<CaseRecord>
  readonly defaults: CaseDefaults
}

const nothing: CaseFileContent = { records: [], defaults: {} }

const isTree = (made: SourceTree | ReadonlyArray<SyntaxProblem>): made is SourceTree => "value" in made

const open = (made: SourceTree | ReadonlyArray<SyntaxProblem>, log: IssueLog): SourceTree | null => {
  const problems = isTree(made) ? made.problems : made
  for (const { position, message, suggestion } of problems) log.error(position, message, suggestion)
  return isTree(made) ? made : null
}

/** The cases of a JSON file. */
export const readJson = (source: SourceText, log: IssueLog): CaseFileContent => {
  const tree = open(JsonTree.make(source), log)
  const list = tree === null ? null : caseList(tree, log)
  if (list === null) return nothing
  const { text } = source
  const offsets = [...JsonScan.members(text, JsonScan.locate(text, list.path).value)].map((item) => item.valueOffset)
  const records = list.items.map((value, index): CaseRecord => {
    const start = offsets[index] ?? 0
    const place = (path: Path) => JsonScan.locate(text, path, start)
    return {
      value,
      index: index + 1,
      position: source.position(start),
      canonical: false,
      places: () => ({
        at: (path) => source.position(place(path).value),
        keyAt: (path) => source.position(place(path).key),
        written: (path) => JsonTree.writtenAt(text.slice(start), path)
      })
    }
  })
  return { records, defaults: list.defaults }
}

/** A file that has to be parsed in one piece needs about a hundred bytes of memory for each of its own. */
const wholeLimit = 2 * 1024 * 1024

const readWholeYaml = (source: SourceText, log: IssueLog): CaseFileContent => {
  const tree = open(YamlTree.make(source), log)
  const list = tree === null ? null : caseList(tree, log)
  if (tree === null || list === null) return nothing
  const records = list.items.map((value, index): CaseRecord => {
    const start: Path = [...list.path, index]
    const places = () => YamlTree.under(tree, start)
    return { value, index: index + 1, position: tree.at(start), canonical: false, places }
  })
  return { records, defaults: list.defaults }
}

/** The cases of a YAML file. */
export const readYaml = (source: SourceText, log: IssueLog): CaseFileContent => {
  const { text } = source
  const list = findList(text, listKeys)
  const pieces = list === null ? null : readPieces(source, list)
  if (list !== null && pieces !== null && !("problems" in pieces)) {
    const defaults = readFrame(source, list, log)
    if (defaults !== null) return { records: pieces.records, defaults }
  }
  if (text.length <= wholeLimit) return readWholeYaml(source, log)
  if (pieces !== null && "problems" in pieces) open(pieces.problems, log)
  else log.error(source.position(0), "too large for a file that is not a plain list of cases", "use a JSONL file")
  return nothing
}
