import type { IssueLog } from "../../project/source/IssueLog.ts"
import { formatPath, type Path } from "../../project/source/Path.ts"
import type { SourceTree } from "../../project/source/SourceTree.ts"
import { show, suggest } from "../../project/source/Suggestion.ts"

/** Writes about one scenario file, with places. */
export interface Pen {
  readonly tree: SourceTree
  readonly log: IssueLog
}

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const complain = (pen: Pen, path: Path, message: string, suggestion: string | null = null): void =>
  pen.log.error(pen.tree.at(path), `${formatPath(path)}: ${message}`, suggestion)

/** "expected X, got Y" at a place. */
export const expected = (pen: Pen, path: Path, what: string, value: unknown): void =>
  complain(pen, path, `expected ${what}, got ${show(value)}`)

/** Complains about keys that are none of `known`. */
export const onlyKeys = (pen: Pen, path: Path, value: object, known: ReadonlyArray<string>): void => {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    pen.log.error(
      pen.tree.keyAt([...path, key]),
      `${formatPath(path)}: unknown key ${JSON.stringify(key)}`,
      suggest(key, known, "known keys")
    )
  }
}

/** A text or a list of texts; null when it is something else, which is reported. */
export const textsAt = (pen: Pen, path: Path, value: unknown): ReadonlyArray<string> | null => {
  const list = Array.isArray(value) ? value : [value]
  const texts = list.filter((item) => typeof item === "string")
  if (texts.length === list.length && texts.length > 0) return texts
  expected(pen, path, "a text or a list of texts", value)
  return null
}
