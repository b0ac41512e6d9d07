/** What a report shows of single results, gathered in one pass with memory that does not grow with their number. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { ContestantKey } from "../domain/Ids.ts"
import type { RankingRules } from "../domain/Project.ts"

/** How a contestant did on a case over all trials. `mean` is 0..1, null when no trial was graded. */
export interface CaseMark {
  readonly mean: number | null
  readonly errors: number
  readonly graded: number
}

/** Cells that went wrong, the worst first. */
export interface Mistake {
  readonly result: CallResult
  readonly score: number
}

export interface ReportDetail {
  /** Null for a cell of the matrix that has no result at all. */
  readonly mark: (caseIndex: number, contestantIndex: number) => CaseMark | null
  /** Worst trial of up to `worstKept` (contestant, case) pairs that did not pass. */
  readonly mistakes: ReadonlyArray<Mistake>
  /** Up to `errorsKept` results that are errors, in the order they were read. */
  readonly errors: ReadonlyArray<CallResult>
}

const worstKept = 8
const errorsKept = 8

const isMistake = (result: CallResult): result is CallResult & { readonly score: number } =>
  result.status === "ok" && result.passed === false && result.score !== null

/** Keeps the worst trials, one for each pair of contestant and case. */
const makeWorst = () => {
  const kept: Array<Mistake> = []
  const samePair = (a: CallResult, b: CallResult) => a.contestant === b.contestant && a.caseId === b.caseId
  return {
    kept,
    add: (mistake: Mistake) => {
      const last = kept.at(-1)
      if (kept.length === worstKept && last !== undefined && last.score <= mistake.score) return
      const known = kept.findIndex(({ result }) => samePair(result, mistake.result))
      const before = kept[known]
      if (before !== undefined && before.score <= mistake.score) return
      if (before !== undefined) kept.splice(known, 1)
      const at = kept.findIndex(({ score }) => score > mistake.score)
      kept.splice(at < 0 ? kept.length : at, 0, mistake)
      kept.length = Math.min(kept.length, worstKept)
    }
  }
}

/** A collector of results; `rules` say which cases and contestants exist. Results of others are ignored. */
export const make = (
  rules: RankingRules
): { readonly add: (result: CallResult) => void; readonly detail: ReportDetail } => {
  const contestants = new Map<ContestantKey, number>(rules.contestants.map(({ key }, index) => [key, index]))
  const cases = new Map<string, number>(rules.cases.map(({ id }, index) => [id, index]))
  const size = contestants.size * cases.size
  const sums = new Float64Array(size)
  const graded = new Uint32Array(size)
  const failed = new Uint32Array(size)
  const seen = new Uint8Array(size)
  const worst = makeWorst()
  const errors: Array<CallResult> = []
  return {
    add: (result) => {
      const contestant = contestants.get(result.contestant)
      const row = cases.get(result.caseId)
      if (contestant === undefined || row === undefined || result.stopReason === "run_stopped") return
      const cell = row * contestants.size + contestant
      seen[cell] = 1
      if (result.status === "error") {
        failed[cell] = (failed[cell] ?? 0) + 1
        if (errors.length < errorsKept) errors.push(result)
      } else if (result.score !== null) {
        sums[cell] = (sums[cell] ?? 0) + result.score
        graded[cell] = (graded[cell] ?? 0) + 1
      }
      if (isMistake(result)) worst.add({ result, score: result.score })
    },
    detail: {
      mark: (caseIndex, contestantIndex) => {
        const cell = caseIndex * contestants.size + contestantIndex
        if (seen[cell] !== 1) return null
        const count = graded[cell] ?? 0
        return { mean: count === 0 ? null : (sums[cell] ?? 0) / count, errors: failed[cell] ?? 0, graded: count }
      },
      mistakes: worst.kept,
      errors
    }
  }
}

/** Reads a stream of results to its end. */
export const collect = <E, R>(
  rules: RankingRules,
  results: Stream.Stream<CallResult, E, R>
): Effect.Effect<ReportDetail, E, R> => {
  const { add, detail } = make(rules)
  return Effect.as(
    Stream.runForEachArray(results, (chunk) => Effect.sync(() => chunk.forEach(add))),
    detail
  )
}
