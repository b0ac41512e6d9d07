/** Settings of a case that have several names: the first that is given counts. */
import * as Equal from "effect/Equal"

export const idKeys = ["id", "name"] as const
export const inputKeys = ["input", "prompt", "question", "messages", "text"] as const
export const referenceKeys = ["reference", "expected", "answer", "target", "gold"] as const
export const typeKeys = ["eval_type", "evaluator", "scorer", "type"] as const
export const systemKeys = ["context", "system", "system_prompt", "instructions"] as const
export const paramKeys = ["params", "options"] as const

/** The name that counts, and the first other name that says something else. */
export interface Name<K> {
  readonly key: K | null
  readonly contradicted: K | null
}

/** Looks a setting up under its names; null and absent are the same. */
export const nameOf = <B extends object, K extends keyof B & string>(block: B, keys: ReadonlyArray<K>): Name<K> => {
  let key: K | null = null
  for (const candidate of keys) {
    const value = block[candidate]
    if (value === undefined || value === null) continue
    if (key === null) key = candidate
    else if (!Equal.equals(block[key], value)) return { key, contradicted: candidate }
  }
  return { key, contradicted: null }
}

/** What to say about two names with different values. */
export const contradiction = (key: string, other: string): string =>
  `"${other}" and "${key}" are two names of one setting, here with different values`
