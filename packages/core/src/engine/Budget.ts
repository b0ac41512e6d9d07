import type { Budgets } from "../domain/Settings.ts"

/** What crossing a budget means. `contestant` is null for the budget of the whole run. */
export interface Overrun {
  readonly contestant: number | null
  readonly spentUsd: number
  readonly limitUsd: number
}

/** The place of what contestants have spent that take no part any more: it counts for the run, and for none of the others. */
export const elsewhere = -1

/** Watches the spend of a run against `budgets:`; counts every cent that is known, and nothing that is not. */
export interface Budget {
  /** Adds a cost and tells which limits it crossed just now (each limit once). */
  readonly charge: (contestant: number, usd: number) => ReadonlyArray<Overrun>
  /** Limits that are crossed and were not told yet: by what was spent before. */
  readonly crossed: () => ReadonlyArray<Overrun>
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
  if (maxRunUsd === null && maxModelUsd === null) return { charge: () => none, crossed: () => none }
  const byContestant = new Map(before)
  let total = [...before.values()].reduce((sum, usd) => sum + usd, 0)
  let runWarned = false
  const warned = new Set<number>()

  const ofContestant = (contestant: number): ReadonlyArray<Overrun> => {
    const own = byContestant.get(contestant) ?? 0
    if (contestant === elsewhere || maxModelUsd === null || own <= maxModelUsd + epsilon || warned.has(contestant))
      return none
    warned.add(contestant)
    return [{ contestant, spentUsd: own, limitUsd: maxModelUsd }]
  }

  const ofRun = (): ReadonlyArray<Overrun> => {
    if (maxRunUsd === null || total <= maxRunUsd + epsilon || runWarned) return none
    runWarned = true
    return [{ contestant: null, spentUsd: total, limitUsd: maxRunUsd }]
  }

  return {
    charge: (contestant, usd) => {
      total += usd
      byContestant.set(contestant, (byContestant.get(contestant) ?? 0) + usd)
      return [...ofContestant(contestant), ...ofRun()]
    },
    crossed: () => [...[...byContestant.keys()].flatMap(ofContestant), ...ofRun()]
  }
}
