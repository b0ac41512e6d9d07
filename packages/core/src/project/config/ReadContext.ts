/** What the readers of a decoded config share: where things stand, and where problems go. */
import { basename } from "node:path"
import * as Equal from "effect/Equal"
import type { SourcePosition } from "../../domain/SourcePosition.ts"
import type { IssueLog } from "../source/IssueLog.ts"
import { formatPath, isWithin, type Path } from "../source/Path.ts"
import type { SourceTree } from "../source/SourceTree.ts"

/** A file that the config names: it must exist, which is looked up later, for all at once. */
export interface FileClaim {
  readonly path: Path
  /** As written. */
  readonly written: string
  /** The kind of thing it must be. */
  readonly kind: "file" | "file or folder"
}

export interface ReadContext {
  readonly tree: SourceTree
  readonly log: IssueLog
  /** Absolute folder of the project. */
  readonly root: string
  /** Paths that did not fit the schema and were left out: nothing is said about what depends on them. */
  readonly damaged: ReadonlyArray<Path>
  readonly claims: Array<FileClaim>
}

/** A value and the path at which it was written. */
export interface Chosen<V> {
  readonly value: V
  readonly path: Path
}

export const error = (context: ReadContext, path: Path, message: string, suggestion: string | null = null): void => {
  const label = path.length === 0 ? "" : `${formatPath(path)}: `
  context.log.error(context.tree.at(path), label + message, suggestion)
}

export const warn = (context: ReadContext, path: Path, message: string, suggestion: string | null = null): void => {
  const label = path.length === 0 ? "" : `${formatPath(path)}: `
  context.log.warn(context.tree.at(path), label + message, suggestion)
}

export const position = (context: ReadContext, path: Path): SourcePosition => context.tree.at(path)

/** `config.yaml:3:5`, for messages that point at a second place. */
export const place = ({ file, line, column }: SourcePosition): string =>
  line === null ? basename(file) : `${basename(file)}:${line}:${column}`

/** Whether something at, above or under `path` was already complained about. */
export const isDamaged = (context: ReadContext, path: Path): boolean =>
  context.damaged.some((bad) => isWithin(bad, path) || isWithin(path, bad))

/**
 * The value of a setting that has several names: the first that is given. Two names with different values are an
 * error.
 */
export const choose = <B extends object, K extends keyof B & string>(
  context: ReadContext,
  path: Path,
  block: B,
  keys: ReadonlyArray<K>
): Chosen<NonNullable<B[K]>> | null => {
  let chosen: Chosen<NonNullable<B[K]>> | null = null
  for (const key of keys) {
    const value = block[key]
    if (value === undefined || value === null) continue
    if (chosen === null) chosen = { value, path: [...path, key] }
    else if (!Equal.equals(chosen.value, value)) {
      const first = String(chosen.path.at(-1))
      const at = [...path, key]
      context.log.error(
        context.tree.keyAt(at),
        `"${key}" and "${first}" are two names of one setting, here with different values`,
        "keep one of them"
      )
    }
  }
  return chosen
}

/** `choose` without the path; `fallback` when no name is given. */
export const valueOf = <B extends object, K extends keyof B & string, F>(
  context: ReadContext,
  path: Path,
  block: B,
  keys: ReadonlyArray<K>,
  fallback: F
): NonNullable<B[K]> | F => choose(context, path, block, keys)?.value ?? fallback

/** A bare value is a list of one. */
export const toList = <A>(value: A | ReadonlyArray<A> | null | undefined): ReadonlyArray<A> => {
  if (value === null || value === undefined) return []
  return isList(value) ? value : [value]
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)
