import { hash } from "node:crypto"
import { canonicalJson } from "../../domain/ContentHash.ts"

/**
 * The key of an answer: `<scenario>_<node>_<contestant>_<16 hex of SHA-256>`, and `_rep<N>` for a replicate (0 is one).
 * The hash is of the texts joined by `|`, so it tells apart what the texts tell apart: see `requestText`.
 */
export const answerKey = (
  scenario: string,
  node: string,
  contestant: string,
  texts: ReadonlyArray<string>,
  replicate: number | null
): string => {
  const digest = hash("sha256", texts.join("|"), "hex").slice(0, 16)
  return `${scenario}_${node}_${contestant}_${digest}${replicate === null ? "" : `_rep${replicate}`}`
}

/** Everything that can change an answer. */
export interface RequestIdentity {
  readonly scenario: string
  readonly node: string
  readonly contestant: string
  /** How often the node was visited before: each visit is a draw of its own. */
  readonly visit: number
  readonly messages: ReadonlyArray<unknown>
  readonly system: string | null
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly params: unknown
}

/** One unambiguous text for a request: equal exactly when everything that can change the answer is equal. */
export const requestText = (identity: RequestIdentity): string => canonicalJson(identity)
