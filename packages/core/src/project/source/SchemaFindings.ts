/** From the issues of a failed decoding to findings that can be told to a person. */
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { didYouMean } from "../../domain/DidYouMean.ts"
import type { IssueLog } from "./IssueLog.ts"
import { formatPath, type Path } from "./Path.ts"
import type { SourceTree } from "./SourceTree.ts"
import { quote, show, suggest } from "./Suggestion.ts"

/** One place at which a document does not fit its schema. */
export type Finding =
  | { readonly _tag: "UnknownKey"; readonly path: Path; readonly known: ReadonlyArray<string> }
  | { readonly _tag: "MissingKey"; readonly path: Path }
  | { readonly _tag: "Invalid"; readonly path: Path; readonly expected: string }

const expectedOf = (annotations: { readonly [key: string]: unknown } | undefined): string | null => {
  const expected = annotations?.["expected"]
  return typeof expected === "string" ? expected : null
}

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const pathParts = (path: ReadonlyArray<PropertyKey>): Path =>
  path.map((part) => (typeof part === "number" ? part : String(part)))

const walk = (issue: SchemaIssue.Issue, path: Path, expected: string): ReadonlyArray<Finding> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...pathParts(issue.path)], expected)
    case "UnexpectedKey":
      return [{ _tag: "UnknownKey", path, known: keysOf(issue.ast) }]
    case "MissingKey":
      return [{ _tag: "MissingKey", path }]
    case "Filter":
      return walk(issue.issue, path, expectedOf(issue.filter.annotations) ?? expected)
    case "Encoding":
      return walk(issue.issue, path, expected)
    case "Composite":
    case "AnyOf": {
      const here = expectedOf(issue.ast.annotations) ?? expected
      const inner = issue.issues.flatMap((child) => walk(child, path, here))
      const deeper = inner.filter((finding) => finding.path.length > path.length)
      if (issue._tag === "Composite") return inner
      // A union is told by what fits best: the member that got further, else by its own description.
      return deeper.length > 0 ? deeper : [{ _tag: "Invalid", path, expected: here }]
    }
    case "InvalidType":
    case "OneOf":
      return [{ _tag: "Invalid", path, expected: expectedOf(issue.ast.annotations) ?? expected }]
    default:
      return [{ _tag: "Invalid", path, expected }]
  }
}

/** What is wrong, one finding for a place. */
export const findings = (issue: SchemaIssue.Issue): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return walk(issue, [], "something else").filter(({ path }) => {
    const key = JSON.stringify(path)
    return seen.has(key) ? false : seen.add(key) !== undefined
  })
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (node, part) => (typeof node === "object" && node !== null ? Reflect.get(node, part) : undefined),
    value
  )

/** Values that are right but for their quotation marks. */
const quoting = (expected: string, value: unknown): string | null => {
  if ((typeof value === "number" || typeof value === "boolean") && /\btext\b/.test(expected)) return "put it in quotes"
  if (typeof value !== "string" || value.trim() === "") return null
  if (/\bnumber\b/.test(expected) && Number.isFinite(Number(value))) return "remove the quotes"
  return /^true or false/.test(expected) && /^(yes|no|on|off|true|false)$/i.test(value) ? "write true or false" : null
}

/** `one of a, b, c` is a list of words that a typing error can be compared with. */
const choices = (expected: string): ReadonlyArray<string> =>
  expected.startsWith("one of ") ? expected.slice("one of ".length).split(", ") : []

/** Of one document or case; what follows is noise. */
const mostReported = 100

/** Writes findings into the log; `where` names the case or the override, and is put before each message. */
export const report = (
  log: IssueLog,
  tree: Pick<SourceTree, "at" | "keyAt" | "value">,
  found: ReadonlyArray<Finding>,
  where = ""
): void => {
  for (const finding of found.slice(0, mostReported)) {
    const { path } = finding
    const name = String(path.at(-1) ?? "")
    if (finding._tag === "UnknownKey") {
      log.error(tree.keyAt(path), `${where}unknown key ${quote(name)}`, suggest(name, finding.known, "known keys"))
    } else if (finding._tag === "MissingKey") {
      log.error(tree.at(path.slice(0, -1)), `${where}${formatPath(path)} is missing`)
    } else {
      const value = valueAt(tree.value, path)
      const label = path.length === 0 ? "" : `${formatPath(path)}: `
      const near = typeof value === "string" ? didYouMean(value, choices(finding.expected)) : null
      const suggestion = near ?? quoting(finding.expected, value)
      log.error(tree.at(path), `${where}${label}expected ${finding.expected}, got ${show(value)}`, suggestion)
    }
  }
  const more = found.length - mostReported
  if (more > 0) log.error(tree.at([]), `${where}and ${more} more problems`)
}

/** What is left out at a place: the place itself, or something beneath it. */
interface Cut {
  whole: boolean
  readonly inner: Map<string | number, Cut>
}

const cutsOf = (found: ReadonlyArray<Finding>): Cut => {
  const top: Cut = { whole: false, inner: new Map() }
  for (const { path } of found) {
    let cut = top
    for (const part of path) {
      const next = cut.inner.get(part) ?? { whole: false, inner: new Map() }
      cut.inner.set(part, next)
      cut = next
    }
    cut.whole = true
  }
  return top
}

const withoutItems = (items: ReadonlyArray<unknown>, cut: Cut): unknown => {
  const kept = items.map((item, index) => {
    const inner = cut.inner.get(index)
    return inner === undefined ? item : without(item, inner)
  })
  return kept.some((item, index) => item === undefined && cut.inner.has(index)) ? undefined : kept
}

const without = (value: unknown, cut: Cut): unknown => {
  if (cut.whole) return undefined
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return withoutItems(value, cut)
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const inner = cut.inner.get(key)
    const kept = inner === undefined ? item : without(item, inner)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return Object.fromEntries(entries)
}

/**
 * A copy of `value` without what the findings complain about, so that the rest can still be checked. A bad item of a
 * list takes the whole list with it: removing the item alone would move the others.
 */
export const prune = (value: unknown, found: ReadonlyArray<Finding>): unknown => without(value, cutsOf(found))
