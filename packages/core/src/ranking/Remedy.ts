import type { Verdict } from "../domain/Leaderboard.ts"
import { casesNeeded, type Precision, trialsNeeded } from "./Effort.ts"
import type { PairEvidence } from "./Evidence.ts"
import { count, epsilon } from "./Figures.ts"

type Unresolved = Extract<Verdict, { readonly _tag: "Unresolved" }>

/** What would settle an open verdict, told in one sentence. */
export interface Remedy {
  readonly remedy: Unresolved["remedy"]
  readonly casesNeeded: number | null
  readonly sentence: string
}

/**
 * What stands between the leader and one rival. `few`: too few shared cases; `unscored`: no composite; `equal`: no
 * difference in any case; `level`: no gap on balance; `close`: a gap that could be chance; `small`: a certain gap that may be
 * below the margin; `settled`: one that certainly is.
 */
type Standoff = "few" | "unscored" | "equal" | "level" | "close" | "small" | "settled"

const standoff = ({ comparison, precision, scored }: PairEvidence, minMargin: number): Standoff => {
  if (precision === null) return scored ? "few" : "unscored"
  if (comparison.separated) return (comparison.composite?.high ?? 0) < minMargin - epsilon ? "settled" : "small"
  if (precision.gap > epsilon) return "close"
  return precision.variance > epsilon * epsilon ? "level" : "equal"
}

/** What helps against one rival; `trials` null = nobody knows, because nothing was repeated. */
interface Help {
  readonly standoff: Standoff
  readonly cases: boolean
  readonly trials: boolean | null
  readonly casesNeeded: number | null
  readonly trialsNeeded: number | null
}

/** Trials matter when repeats of a case differ. */
const trialsMatter = (precision: Precision | null): boolean | null =>
  precision === null || precision.trialVariance === null ? null : precision.trialVariance > epsilon * epsilon

const helpAgainst = (rival: PairEvidence, minMargin: number): Help => {
  const { precision } = rival
  const kind = standoff(rival, minMargin)
  const help = { standoff: kind, cases: false, trials: false, casesNeeded: null, trialsNeeded: null }
  if (kind === "few") return { ...help, cases: true }
  if (kind === "level" || kind === "small") return { ...help, cases: true, trials: trialsMatter(precision) }
  if (kind !== "close" || precision === null) return help
  const cases = casesNeeded(precision)
  const trials = trialsNeeded(precision)
  const unknown = precision.trialVariance === null && cases !== null
  return {
    ...help,
    cases: cases !== null,
    trials: unknown ? null : trials !== null,
    casesNeeded: cases,
    trialsNeeded: trials
  }
}

const most = (numbers: ReadonlyArray<number | null>): number | null =>
  numbers.reduce((high, number) => (high === null || number === null ? null : Math.max(high, number)), 0)

/** Three-valued "and": one no is a no, else one unknown is unknown. */
const all = (answers: ReadonlyArray<boolean | null>): boolean | null =>
  answers.includes(false) ? false : answers.includes(null) ? null : true

const untested = "with one trial of each case nobody can know whether more trials would help"

const hopeless = "No realistic number of cases or trials would tell them apart."

/** What to do when the gap itself is no guide to how much. */
const withoutNumber = (kinds: ReadonlySet<Standoff>, cases: boolean, trials: boolean | null): string => {
  if (kinds.has("few")) return "More cases are needed before anything can be said."
  if (kinds.has("unscored")) return "Their answers have to be scored first."
  if (kinds.has("equal")) return "They came out the same in every case: more of the same would change nothing."
  if (!cases) return kinds.has("close") ? hopeless : "More data would only confirm that."
  const goal = kinds.has("level") ? "might tell them apart" : "would show whether the gap is larger than that"
  if (trials === null) return `More cases ${goal}; ${untested}.`
  return trials ? `More trials or more cases ${goal}.` : `More trials would not help; more cases ${goal}.`
}

const withNumber = (cases: number | null, trials: boolean | null, repeats: number | null): string => {
  const often = repeats === null ? "more trials" : `about ${count(repeats, "trial")} of each case`
  if (cases === null) {
    return trials === true
      ? `At the present gap ${often} would tell them apart; adding cases would take too many.`
      : hopeless
  }
  const many = `about ${count(cases, "case")} in total`
  if (trials === null) return `At the present gap ${many} would tell them apart; ${untested}.`
  return trials
    ? `At the present gap ${many} or ${often} would tell them apart.`
    : `More trials would not help; at the present gap ${many} would tell them apart.`
}

/** What would settle the verdict against every rival at once. */
export const remedyFor = (rivals: ReadonlyArray<PairEvidence>, minMargin: number): Remedy => {
  const helps = rivals.map((rival) => helpAgainst(rival, minMargin))
  const kinds = new Set(helps.map((help) => help.standoff))
  const close = helps.filter((help) => help.standoff === "close")
  const cases = helps.every((help) => help.cases)
  const trials = all(helps.map((help) => help.trials))
  const needed = cases && close.length === helps.length ? most(close.map((help) => help.casesNeeded)) : null
  const repeats = most(close.map((help) => help.trialsNeeded))
  return {
    remedy: cases ? (trials === false ? "cases" : "either") : trials === true ? "trials" : "none",
    casesNeeded: needed,
    sentence: close.length === helps.length ? withNumber(needed, trials, repeats) : withoutNumber(kinds, cases, trials)
  }
}
