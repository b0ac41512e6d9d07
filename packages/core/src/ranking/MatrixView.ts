import type { RankedCase, RankingRules } from "../domain/Project.ts"
import type { Measurements } from "./Measurements.ts"

/** Which slots of the columns a ranking looks at: the cases of its rules, which may be fewer than were measured. */
export interface MatrixView {
  readonly cases: ReadonlyArray<RankedCase>
  /** Trials of a case that are looked at. */
  readonly trials: number
  /** Slot of the first trial of each case; -1 = the measurements do not know the case. */
  readonly firstSlot: Int32Array
}

export const viewOf = (rules: RankingRules, measurements: Measurements): MatrixView => {
  const stride = measurements.rules.trials
  return {
    cases: rules.cases,
    trials: Math.min(rules.trials, stride),
    firstSlot: Int32Array.from(rules.cases, ({ id }) => {
      const index = measurements.caseIndex(id)
      return index === undefined ? -1 : index * stride
    })
  }
}

/** The slots of the view in order of case and trial. */
export const forEachSlot = (view: MatrixView, visit: (slot: number, caseIndex: number) => void): void => {
  const { firstSlot, trials } = view
  for (let caseIndex = 0; caseIndex < firstSlot.length; caseIndex += 1) {
    const first = firstSlot[caseIndex] ?? -1
    if (first < 0) continue
    for (let slot = first; slot < first + trials; slot += 1) visit(slot, caseIndex)
  }
}
