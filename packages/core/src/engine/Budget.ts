import type { Budgets } from "../domain/Settings.ts"

/** What crossing a budget means. `contestant` is null for the budget of the whole run. */
export interface Overrun {
  readonly contestant: number | null
  readonly spentUsd: number
  readonly limitUsd: number
}

/** Watches the spend of a run against `budgets:`; counts every cent that is known, and nothing that is not. */
export interface Budget {
  /** Adds a cost and tells which limits it crossed just now (each limit once). */
  readonly charge: (contestant: number, usd: number) => ReadonlyArray<Overrun>
}

/** Sums of floats reach a limit that was meant to be met exactly only up to this. */
const epsilon = 1e-9

const none: ReadonlyArray<Overrun> = []

/**
 * The budget of a run. Crossing means more than the limit; meeting it exactly is allowed. `before` is what earlier parts
 * of the run have spent, USD by contestant index.
 */
export const make = (budgets: Budgets, before: ReadonlyMap<number, number> = new Map()): Budget => {
  const { maxModelUsd, maxRunUsd } = budgets
  if (maxRunUsd === null && maxModelUsd === null) return { charge: () => none }
  const byContestant = new Map(before)
  let total = [...before.values()].reduce((sum, usd) => sum + usd, 0)
  let runWarned = false
  const warned = new Set<number>()

  return {
    charge: (contestant, usd) => {
      const overruns: Array<Overrun> = []
      total += usd
      const own = (byContestant.get(contestant) ?? 0) + usd
      byContestant.set(contestant, own)
      if (maxModelUsd !== null && own > maxModelUsd + epsilon && !warned.has(contestant)) {
        warned.add(contestant)
        overruns.push({ contestant, spentUsd: own, limitUsd: maxModelUsd })
      }
      if (maxRunUsd !== null && total > maxRunUsd + epsilon && !runWarned) {
        runWarned = true
        overruns.push({ contestant: null, spentUsd: total, limitUsd: maxRunUsd })
      }
      return overruns
    }
  }
}
