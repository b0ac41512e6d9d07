import type { ContestantKey } from "../../domain/Ids.ts"
import type { RankedCase } from "../../domain/Project.ts"
import type { Measurements } from "../../ranking/Measurements.ts"

/** What is watched of a contestant, both 0..1 with 1 = best: the scores of its answers, and the share of calls answered. */
export const measures = ["accuracy", "reliability"] as const
export type Measure = (typeof measures)[number]

/** Means over the trials of one case; null = nothing is known. */
export type CaseMeans = Readonly<Record<Measure, number | null>>

export const unknownMeans: CaseMeans = { accuracy: null, reliability: null }

/** The means of a contestant by case, in the order of `cases`. Interrupted cells say nothing. */
export const caseMeans = (
  measurements: Measurements,
  contestant: ContestantKey,
  cases: ReadonlyArray<Pick<RankedCase, "id">>
): ReadonlyArray<CaseMeans> =>
  cases.map(({ id }) => {
    const { errors, meanScore, ok, timedOut } = measurements.caseSummary(contestant, id)
    const attempted = ok + errors + timedOut
    return { accuracy: meanScore, reliability: attempted === 0 ? null : ok / attempted }
  })

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** Case by case the mean over several runs, each run counting the same where it knows the case. */
export const meanOfRuns = (runs: ReadonlyArray<ReadonlyArray<CaseMeans>>, cases: number): ReadonlyArray<CaseMeans> =>
  Array.from({ length: cases }, (_, index) => {
    const known = (measure: Measure) => mean(runs.flatMap((run) => run[index]?.[measure] ?? []))
    return { accuracy: known("accuracy"), reliability: known("reliability") }
  })
