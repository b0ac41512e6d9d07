/** The list of cases in a YAML or JSON document, and the defaults beside it. */
import * as Result from "effect/Result"
import type { IssueLog } from "../source/IssueLog.ts"
import type { Path } from "../source/Path.ts"
import * as SchemaFindings from "../source/SchemaFindings.ts"
import type { SourceTree } from "../source/SourceTree.ts"
import { show } from "../source/Suggestion.ts"
import { type CaseDefaults, decodeFrame, listKeys } from "./CaseFile.ts"
import { contradiction, nameOf, paramKeys, systemKeys, typeKeys } from "./CaseNames.ts"

/** Where the list is, what it holds, and the defaults of its file. */
export interface CaseList {
  readonly path: Path
  readonly items: ReadonlyArray<unknown>
  readonly defaults: CaseDefaults
}

const noDefaults: CaseDefaults = {}

/** Decodes the frame; what does not fit is reported and left out. */
const decode = (tree: SourceTree, log: IssueLog) => {
  const decoded = decodeFrame(tree.value)
  if (Result.isSuccess(decoded)) return { frame: decoded.success, damaged: false }
  const found = SchemaFindings.findings(decoded.failure.issue)
  SchemaFindings.report(log, tree, found)
  const rest = decodeFrame(SchemaFindings.prune(tree.value, found))
  return { frame: Result.isSuccess(rest) ? rest.success : {}, damaged: true }
}

/** Defaults that say two things at once, under two names. */
const checkDefaults = (tree: SourceTree, log: IssueLog, defaults: CaseDefaults): void => {
  for (const keys of [typeKeys, systemKeys, paramKeys]) {
    const { key, contradicted } = nameOf<CaseDefaults, keyof CaseDefaults>(defaults, keys)
    if (key === null || contradicted === null) continue
    log.error(tree.keyAt(["defaults", contradicted]), contradiction(key, contradicted), "keep one of them")
  }
  if (defaults.scorers != null && nameOf(defaults, typeKeys).key !== null) {
    log.error(tree.keyAt(["defaults", "scorers"]), '"scorers" and a single scorer cannot be given together')
  }
}

/** The list of a document; null when there is none, which is reported. */
export const caseList = (tree: SourceTree, log: IssueLog): CaseList | null => {
  const { value } = tree
  if (Array.isArray(value)) return { path: [], items: value, defaults: noDefaults }
  if (typeof value !== "object" || value === null) {
    log.error(tree.at([]), `expected a list of cases, or a mapping with tests, got ${show(value)}`)
    return null
  }
  const { frame, damaged } = decode(tree, log)
  const given = listKeys.filter((key) => frame[key] != null)
  const [key, second] = given
  if (key === undefined) {
    if (!damaged) log.error(tree.at([]), "there is no list of cases", "put it under tests")
    return null
  }
  if (second !== undefined) {
    log.error(tree.keyAt([second]), `"${second}" and "${key}" are two names of one list`, "keep one of them")
  }
  const defaults = frame.defaults ?? noDefaults
  checkDefaults(tree, log, defaults)
  return { path: [key], items: frame[key] ?? [], defaults }
}
