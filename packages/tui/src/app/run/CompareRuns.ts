/** Two runs of a project, cell by cell: what got better, what got worse. */
import { meanScore } from "./MeanScore.ts"
import type { RunModel } from "./RunModel.ts"

export interface CaseChange {
  readonly contestant: string
  readonly caseId: string
  /** Mean score over the trials, 0..1. */
  readonly before: number
  readonly after: number
}

/** How many cases both runs have, and how many only one of them. */
export const sharedCases = (
  before: RunModel,
  after: RunModel
): { readonly both: number; readonly onlyBefore: number; readonly onlyAfter: number } => {
  const both = after.caseIds.filter((id) => before.caseIndex.has(id)).length
  return { both, onlyBefore: before.caseIds.length - both, onlyAfter: after.caseIds.length - both }
}

/** Cases of shared contestants whose mean score differs, the largest loss first. */
export const changedCases = (before: RunModel, after: RunModel): ReadonlyArray<CaseChange> => {
  const changes: Array<CaseChange> = []
  after.contestants.forEach((contestant, column) => {
    const oldColumn = before.contestantIndex.get(contestant.key)
    if (oldColumn === undefined) return
    after.caseIds.forEach((caseId, row) => {
      const oldRow = before.caseIndex.get(caseId)
      if (oldRow === undefined) return
      const [was, is] = [meanScore(before, oldRow, oldColumn), meanScore(after, row, column)]
      if (Number.isNaN(was) || Number.isNaN(is) || Math.abs(was - is) < 1e-9) return
      changes.push({ contestant: contestant.label, caseId, before: was, after: is })
    })
  })
  return changes.toSorted((a, b) => a.after - a.before - (b.after - b.before))
}
