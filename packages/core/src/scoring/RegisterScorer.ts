/**
 * `registerScorer`: how a project file hands scorers over as a side effect of being imported.
 *
 * The collection lives behind a global symbol, because the command line is a bundle with its own copy of this module
 * while a project file imports the copy in `node_modules`.
 */

import type { ScoreFunction, Scorer, ScorerOptions } from "./Scorer.ts"

/** A scorer as a project file writes it: its function, or an object around it. */
export type ScorerDefinition = ScoreFunction | ScorerObject | Scorer

/** A scorer with what is to be known about it; without a name it has that of its file. */
export interface ScorerObject extends Omit<ScorerOptions, "source"> {
  readonly name?: string
  readonly score: ScoreFunction
}

/** A scorer as a file wrote it, not yet looked at; null name = the name of the file. */
export interface Registration {
  readonly name: string | null
  readonly definition: unknown
}

interface Collection {
  /** Registered since the last file was taken care of. */
  pending: Array<Registration>
  /** What each module registered when it ran, by its exports; a module that is imported again does not run again. */
  readonly byModule: WeakMap<object, ReadonlyArray<Registration>>
}

const key = Symbol.for("@agent-arena/core/scoring/RegisterScorer")

const isCollection = (value: unknown): value is Collection =>
  typeof value === "object" && value !== null && "pending" in value && "byModule" in value

const collection = (): Collection => {
  const existing: unknown = Reflect.get(globalThis, key)
  if (isCollection(existing)) return existing
  const fresh: Collection = { pending: [], byModule: new WeakMap() }
  Reflect.set(globalThis, key, fresh)
  return fresh
}

/**
 * Registers a scorer of a project: `registerScorer("polite", (output) => …)`, or an object with `name` and `score`.
 * To be called at the top level of a file in `scorers/`.
 */
export function registerScorer(name: string, definition: ScorerDefinition): void
export function registerScorer(definition: (ScorerObject & { readonly name: string }) | Scorer): void
export function registerScorer(first: string | ScorerDefinition, definition?: ScorerDefinition): void {
  collection().pending.push(typeof first === "string" ? { name: first, definition } : { name: null, definition: first })
}

/** Forgets what was registered outside of a file that is being loaded. */
export const discardPending = (): void => {
  collection().pending = []
}

/** What a module that has just been imported registered, now or when it first ran. */
export const takeRegistrations = (exports: object): ReadonlyArray<Registration> => {
  const { pending, byModule } = collection()
  discardPending()
  if (pending.length > 0) byModule.set(exports, pending)
  return byModule.get(exports) ?? []
}
