/** Reads the items of a YAML list one by one: quick for plain ones, and memory does not grow with the file. */
import type { IssueLog } from "../source/IssueLog.ts"
import * as PlainYaml from "../source/PlainYaml.ts"
import type { SourceText } from "../source/SourceText.ts"
import type { SourceTree, SyntaxProblem } from "../source/SourceTree.ts"
import type { YamlList } from "../source/YamlList.ts"
import * as YamlTree from "../source/YamlTree.ts"
import type { CaseDefaults } from "./CaseFile.ts"
import { caseList } from "./CaseList.ts"
import { type CaseRecord, singlePlace } from "./CaseRecord.ts"

const isTree = (made: SourceTree | ReadonlyArray<SyntaxProblem>): made is SourceTree => "value" in made

/** A part of a file, with the positions that it has in the file. */
const piece = (source: SourceText, start: number, end: number): SourceText => ({
  file: source.file,
  text: source.text.slice(start, end),
  position: (offset) => source.position(start + offset)
})

/** The item of a piece by the real parser. */
const parsePiece = (text: SourceText): { readonly tree: SourceTree; readonly value: unknown } | SyntaxProblem[] => {
  const tree = YamlTree.make(text)
  const problems = isTree(tree) ? tree.problems : tree
  if (!isTree(tree) || problems.length > 0) return [...problems]
  return { tree, value: Array.isArray(tree.value) ? tree.value[0] : null }
}

/** All items of the list; or what is wrong with the first bad one, as far as it can be told from the piece alone. */
export const readPieces = (
  source: SourceText,
  { items, end }: YamlList
): { readonly records: ReadonlyArray<CaseRecord> } | { readonly problems: ReadonlyArray<SyntaxProblem> } => {
  const records: Array<CaseRecord> = []
  for (const [number, start] of items.entries()) {
    const text = piece(source, start, items[number + 1] ?? end)
    const index = number + 1
    // Trees are made again when places are asked for: kept ones would hold the whole file's nodes.
    const places = () => {
      const parsed = parsePiece(text)
      return "tree" in parsed ? YamlTree.under(parsed.tree, [0]) : singlePlace(text.position(0))
    }
    const quick = PlainYaml.readItem(text.text)
    if (quick !== undefined) {
      records.push({ value: quick.value, index, position: text.position(quick.offset), canonical: true, places })
      continue
    }
    const parsed = parsePiece(text)
    if (!("tree" in parsed)) return { problems: parsed }
    records.push({ value: parsed.value, index, position: parsed.tree.at([0]), canonical: false, places })
  }
  return { records }
}

/** The file without its list, and an empty list in its place. */
const frameOf = (source: SourceText, { start, end, key }: YamlList & { readonly key: string }): SourceTree | null => {
  const text: SourceText = {
    file: source.file,
    text: source.text.slice(0, start) + source.text.slice(end),
    position: (offset) => source.position(offset < start ? offset : offset + end - start)
  }
  const tree = YamlTree.make(text)
  if (!isTree(tree) || tree.problems.length > 0 || typeof tree.value !== "object" || tree.value === null) return null
  return key in tree.value ? { ...tree, value: { ...tree.value, [key]: [] } } : null
}

/** The defaults beside the list; null when the frame cannot be read apart from it. */
export const readFrame = (source: SourceText, list: YamlList, log: IssueLog): CaseDefaults | null => {
  const { key } = list
  if (key === null) return {}
  const tree = frameOf(source, { ...list, key })
  return tree === null ? null : (caseList(tree, log)?.defaults ?? {})
}
