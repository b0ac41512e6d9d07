/** An upper bound for what a backtracking matcher can do with a pattern, so that harmless ones run in place. */
import type { PatternToken } from "./PatternToken.ts"

/** What the bound is computed from; null when the pattern has a construct for which no bound is claimed. */
export interface PatternCost {
  /** Constant factor: length of the pattern, alternatives and bounded repetitions multiplied. */
  readonly factor: number
  /** Repetitions without an upper bound. */
  readonly unbounded: number
}

const maxTokens = 500
const maxCount = 50

/**
 * Nothing is claimed for repeated groups (catastrophic when they are ambiguous), for back references, for repetitions
 * inside lookarounds, and for large counts, which the matcher unrolls.
 */
export const costOf = (tokens: ReadonlyArray<PatternToken>): PatternCost | null => {
  if (tokens.length > maxTokens) return null
  let factor = tokens.length + 1
  let unbounded = 0
  const groups: Array<boolean> = []
  let looking = 0
  let previous: PatternToken | undefined
  const alternatives = [1]
  for (const token of tokens) {
    switch (token._tag) {
      case "BackReference":
        return null
      case "Open":
        groups.push(token.looks)
        alternatives.push(1)
        if (token.looks) looking += 1
        break
      case "Close":
        if (groups.pop() === true) looking -= 1
        factor *= alternatives.pop() ?? 1
        break
      case "Alternation":
        alternatives.push((alternatives.pop() ?? 1) + 1)
        break
      case "Quantifier": {
        const optional = token.maximum <= 1
        if (looking > 0 || (previous?._tag === "Close" && !optional)) return null
        if (token.maximum === Number.POSITIVE_INFINITY) {
          if (token.minimum > maxCount) return null
          unbounded += 1
          factor += token.minimum
        } else if (token.maximum > maxCount) return null
        else factor = (factor + token.maximum) * (token.maximum - token.minimum + 1)
        break
      }
    }
    previous = token
  }
  for (const count of alternatives) factor *= count
  return { factor, unbounded }
}

/**
 * Steps on a text of `length` characters, at most: the starting place and what each unbounded repetition takes are a
 * way to split the text, of which there are C(length + k + 1, k + 1) for k repetitions.
 */
export const stepsAtMost = (cost: PatternCost, length: number): number => {
  let ways = 1
  for (let i = 1; i <= cost.unbounded + 1; i++) ways = (ways * (length + i)) / i
  return ways * cost.factor
}
