import * as Schema from "effect/Schema"
import { TokenUsage } from "../../domain/Generation.ts"
import { ScorerResult } from "../../domain/Score.ts"

const Name = Schema.NullOr(Schema.String)
const Index = Schema.NullOr(Schema.Int)

/** Which answer an entry is. Null = any. */
export const ReplayKey = Schema.Struct({
  scenario: Schema.String,
  node: Schema.String,
  contestant: Name,
  /** 0-based visit of the node. */
  visit: Index,
  replicate: Index
})
export type ReplayKey = typeof ReplayKey.Type

/** A verdict that was captured with an answer; it counts again only under the same judge and the same scorers. */
export const CapturedVerdict = Schema.Struct({
  judge: Name,
  /** Hash of the scorers and parsers of the node. */
  verifyHash: Schema.String,
  verifyResult: Schema.NullOr(Schema.Boolean),
  score: Schema.NullOr(Schema.Finite),
  reason: Schema.String,
  scores: Schema.Array(ScorerResult),
  parsed: Schema.Record(Schema.String, Schema.Unknown)
})
export type CapturedVerdict = typeof CapturedVerdict.Type

export const ReplayEntry = Schema.Struct({
  /** May be empty. */
  output: Schema.String,
  toolCalls: Schema.Array(Schema.Unknown),
  /** What the tools returned, in the order of the calls; absent = nothing is known. */
  toolResults: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  usage: TokenUsage,
  costUsd: Schema.NullOr(Schema.Finite),
  latencyMs: Schema.NullOr(Schema.Finite),
  verdicts: Schema.Array(CapturedVerdict)
})
export type ReplayEntry = typeof ReplayEntry.Type

/** What happens when no entry fits: ask the model, or fail the turn. */
export const MissPolicy = Schema.Literals(["fall_through", "strict"])
export type MissPolicy = typeof MissPolicy.Type

const keyText = ({ contestant, node, replicate, scenario, visit }: ReplayKey): string =>
  JSON.stringify([scenario, node, contestant, visit, replicate])

/**
 * The keys to try, most specific first: contestant, then visit, then replicate, each as it is and then as "any". What is
 * null in the request is tried as "any" only.
 */
export const lookupOrder = (key: ReplayKey): ReadonlyArray<ReplayKey> => {
  const either = <A>(value: A | null): ReadonlyArray<A | null> => (value === null ? [null] : [value, null])
  return either(key.contestant).flatMap((contestant) =>
    either(key.visit).flatMap((visit) =>
      either(key.replicate).map((replicate) => ({ ...key, contestant, visit, replicate }))
    )
  )
}

const merged = (known: ReplayEntry, more: ReplayEntry): ReplayEntry => {
  const isNew = ({ judge, verifyHash }: CapturedVerdict) =>
    !known.verdicts.some((one) => one.judge === judge && one.verifyHash === verifyHash)
  return { ...known, verdicts: [...known.verdicts, ...more.verdicts.filter(isNew)] }
}

/** Captured answers. Registering is for setting up; while scenarios are played it is only read. */
export class ReplayStore {
  readonly #entries = new Map<string, { readonly key: ReplayKey; readonly entry: ReplayEntry }>()
  readonly #nodes = new Set<string>()
  readonly missPolicy: MissPolicy
  /** Whether only the very key answers: another replicate is another draw. */
  readonly exact: boolean

  constructor(missPolicy: MissPolicy = "fall_through", exact = false) {
    this.missPolicy = missPolicy
    this.exact = exact
  }

  /** Adds an entry. The same answer under the same key gathers the verdicts of several judges; another one replaces it. */
  register(key: ReplayKey, entry: ReplayEntry): void {
    const text = keyText(key)
    const known = this.#entries.get(text)?.entry
    const same = known !== undefined && known.output === entry.output
    this.#entries.set(text, { key, entry: same ? merged(known, entry) : entry })
    this.#nodes.add(JSON.stringify([key.scenario, key.node]))
  }

  /** The entry that fits best; null = none does. */
  find(key: ReplayKey): ReplayEntry | null {
    if (!this.hasAnyFor(key.scenario, key.node)) return null
    for (const candidate of this.exact ? [key] : lookupOrder(key)) {
      const found = this.#entries.get(keyText(candidate))
      if (found !== undefined) return found.entry
    }
    return null
  }

  /** Whether there is an entry for a node at all. */
  hasAnyFor(scenario: string, node: string): boolean {
    return this.#nodes.has(JSON.stringify([scenario, node]))
  }

  get size(): number {
    return this.#entries.size
  }

  /** Sorted by key, so that saved stores can be compared. */
  get entries(): ReadonlyArray<{ readonly key: ReplayKey; readonly entry: ReplayEntry }> {
    return [...this.#entries].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, entry]) => entry)
  }
}

/** The verdict that counts again for this judge and these scorers; null = it must be made anew. */
export const verdictFor = (entry: ReplayEntry, judge: string | null, verifyHash: string): CapturedVerdict | null =>
  entry.verdicts.find((verdict) => verdict.judge === judge && verdict.verifyHash === verifyHash) ?? null
