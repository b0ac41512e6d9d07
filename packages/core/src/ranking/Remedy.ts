import type { Verdict } from "../domain/Leaderboard.ts"
import { casesNeeded, type Precision, trialsNeeded } from "./Effort.ts"
import type { PairEvidence } from "./Evidence.ts"
import { count, epsilon } from "./Figures.ts"

type Unresolved = Extract<Verdict, { readonly _tag: "Unresolved" }>

/** What would settle an open verdict. `trials` = how many of each case, null = no number can be given. */
export interface Remedy {
  readonly remedy: Unresolved["remedy"]
  readonly casesNeeded: number | null
  readonly trialsNeeded: number | null
  readonly sentence: string
}

/** What helps against one rival; null = unknown (nothing was repeated). */
interface Help {
  readonly cases: boolean
  readonly trials: boolean | null
  readonly casesNeeded: number | null
  readonly trialsNeeded: number | null
}

const noHelp: Help = { cases: false, trials: false, casesNeeded: null, trialsNeeded: null }

/** Trials matter at all when repeats of a case differ; with nothing repeated that is not known. */
const trialsMatter = ({ trialVariance }: Precision): boolean | null =>
  trialVariance === null ? null : trialVariance > epsilon * epsilon

const helpAgainst = ({ comparison, precision }: PairEvidence, minMargin: number): Help => {
  if (precision === null) return { ...noHelp, cases: true, trials: null }
  if (comparison.separated) {
    const settled = (comparison.composite?.high ?? 0) < minMargin - epsilon
    return settled ? noHelp : { ...noHelp, cases: true, trials: trialsMatter(precision) }
  }
  if (precision.gap <= epsilon) {
    const moves = precision.variance > epsilon * epsilon
    return { ...noHelp, cases: moves, trials: moves && trialsMatter(precision) }
  }
  const cases = casesNeeded(precision)
  const trials = trialsNeeded(precision)
  return {
    cases: cases !== null,
    trials: precision.trialVariance === null ? (cases === null ? false : null) : trials !== null,
    casesNeeded: cases,
    trialsNeeded: trials
  }
}

const most = (numbers: ReadonlyArray<number | null>): number | null =>
  numbers.reduce((high, number) => (high === null || number === null ? null : Math.max(high, number)), 0)

const sentenceOf = (cases: boolean, trials: boolean | null, needed: number | null, repeats: number | null): string => {
  const many = needed === null ? "more cases" : `about ${count(needed, "case")} in total`
  const often = repeats === null ? "more trials" : `about ${count(repeats, "trial")} of each case`
  if (cases && trials === true) return `At the present gap ${many} or ${often} would tell them apart.`
  if (cases && trials === null) {
    return `At the present gap ${many} would tell them apart; with one trial of each case it is not known whether more trials would help.`
  }
  if (cases) return `More trials would not help; at the present gap ${many} would tell them apart.`
  if (trials === true) return `At the present gap ${often} would tell them apart; adding cases would take too many.`
  return "No realistic number of cases or trials would tell them apart."
}

/** What would settle the verdict against every rival at once. */
export const remedyFor = (rivals: ReadonlyArray<PairEvidence>, minMargin: number): Remedy => {
  const helps = rivals.map((rival) => helpAgainst(rival, minMargin))
  const cases = helps.every((help) => help.cases)
  const trials = helps.some((help) => help.trials === false)
    ? false
    : helps.some((help) => help.trials === null)
      ? null
      : true
  const needed = cases ? most(helps.map((help) => help.casesNeeded)) : null
  const repeats = trials === true ? most(helps.map((help) => help.trialsNeeded)) : null
  return {
    remedy: cases ? (trials === false ? "cases" : "either") : trials === true ? "trials" : "none",
    casesNeeded: needed,
    trialsNeeded: repeats,
    sentence: sentenceOf(cases, trials, needed, repeats)
  }
}
