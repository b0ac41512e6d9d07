import type { LeaderboardEntry, Verdict } from "../domain/Leaderboard.ts"
import type { StatisticsSettings } from "../domain/Settings.ts"
import { fewestCases, type PairEvidence } from "./Evidence.ts"
import { apart, count, epsilon, list, plain } from "./Figures.ts"
import { remedyFor } from "./Remedy.ts"

/** Why nothing may be claimed, whatever the numbers say; null = the evidence decides. */
export type Reservation = "incomplete" | "statistics_off" | "provisional"

/** What the verdict is drawn from. `ranked` in order of rank, `pairs` in the same order without the leader. */
export interface VerdictInputs {
  readonly ranked: ReadonlyArray<LeaderboardEntry>
  readonly unranked: ReadonlyArray<LeaderboardEntry>
  readonly pairs: ReadonlyArray<PairEvidence>
  readonly statistics: StatisticsSettings
  readonly reservation: Reservation | null
}

type Unresolved = Extract<Verdict, { readonly _tag: "Unresolved" }>

const quoted = (key: string): string => `\`${key}\``

const names = (keys: ReadonlyArray<string>): string => list(keys.map(quoted))

const unresolved = (
  leading: Unresolved["leading"],
  sentence: string,
  fields: Partial<Pick<Unresolved, "margin" | "remedy" | "casesNeeded">> = {}
): Verdict => ({ _tag: "Unresolved", leading, margin: null, remedy: "none", casesNeeded: null, sentence, ...fields })

const noWinner = (unranked: ReadonlyArray<LeaderboardEntry>): Verdict => {
  const disqualified = unranked.filter(({ status }) => status === "disqualified").length
  const silent = unranked.length - disqualified
  const why = [
    ...(disqualified > 0 ? [`${disqualified} broke a constraint`] : []),
    ...(silent > 0 ? [`${silent} ${silent === 1 ? "has" : "have"} no results`] : [])
  ]
  return { _tag: "NoWinner", sentence: `No contestant qualified${why.length === 0 ? "" : `: ${list(why)}`}.` }
}

const reservations: Readonly<Record<Reservation, string>> = {
  incomplete: "the run did not finish its plan, so no winner is declared",
  statistics_off: "statistics are switched off (statistics.enabled: false), so no winner is declared",
  provisional: "the run is still going on"
}

/** Why a single qualified contestant is no winner; null when everybody else was measured and broke a constraint. */
const doubtAlone = (
  { reservation, unranked }: VerdictInputs,
  leader: LeaderboardEntry
): { readonly text: string; readonly remedy: Unresolved["remedy"] } | null => {
  const silent = unranked.filter(({ status }) => status === "no_data").map(({ key }) => key)
  if (unranked.length === 0) return { text: "ran alone: there is nothing to compare it with", remedy: "none" }
  const only = "is the only contestant that qualified, but"
  if (reservation !== null) return { text: `${only} ${reservations[reservation]}`, remedy: "none" }
  if (silent.length > 0) {
    return { text: `${only} ${names(silent)} ${silent.length === 1 ? "has" : "have"} no results`, remedy: "none" }
  }
  if (leader.composite === null) return { text: `${only} nothing that is weighted was measured`, remedy: "none" }
  return leader.compositeInterval === null
    ? { text: `${only} fewer than ${fewestCases} cases say so`, remedy: "cases" }
    : null
}

const alone = (inputs: VerdictInputs, leader: LeaderboardEntry): Verdict => {
  const doubt = doubtAlone(inputs, leader)
  if (doubt !== null) return unresolved([leader.key], `${quoted(leader.key)} ${doubt.text}.`, { remedy: doubt.remedy })
  const sentence =
    `${quoted(leader.key)} wins by elimination: it is the only contestant that met every constraint. ` +
    "It was not compared with the others, which are disqualified."
  return { _tag: "Winner", winner: leader.key, margin: null, sentence }
}

/** Whether the leader is ahead of this one beyond doubt and by enough, on the board as on the cases that both have. */
const beaten = (leader: LeaderboardEntry, other: LeaderboardEntry, pair: PairEvidence, minMargin: number): boolean => {
  const shown = (leader.composite ?? 0) - (other.composite ?? 0)
  const shared = pair.comparison.composite?.point ?? 0
  return pair.comparison.separated && Math.min(shown, shared) >= minMargin - epsilon
}

const lead = (leader: LeaderboardEntry, next: LeaderboardEntry, margin: number | null, minMargin: number): string => {
  if (margin === null) return `${quoted(leader.key)} is ahead`
  if (margin <= epsilon) return `${quoted(leader.key)} and ${quoted(next.key)} have the same composite`
  return `${quoted(leader.key)} is ahead of ${quoted(next.key)} by ${apart(margin, minMargin, plain, 3)[0]}`
}

const percentage = (confidence: number): string => `${Math.round(confidence * 1000) / 10} %`

const gapOf = ({ comparison }: PairEvidence): string =>
  comparison.composite === null
    ? ""
    : ` (${percentage(comparison.composite.confidence)} interval of the gap ` +
      `${plain(comparison.composite.low, 3)} to ${plain(comparison.composite.high, 3)})`

const hasMargin = (margin: number | null, minMargin: number): boolean =>
  margin !== null && margin >= minMargin - epsilon

/** The gap is beyond doubt, but too small: on the board, or on the cases that both have. */
const tooSmall = (rivals: ReadonlyArray<PairEvidence>, margin: number | null, minMargin: number): string => {
  const points = rivals.map(({ comparison }) => comparison.composite?.point ?? 0)
  const shared = Math.min(...points)
  return hasMargin(margin, minMargin)
    ? `but on the cases that both have by ${apart(shared, minMargin, plain, 3)[0]}, less than the ` +
        `${apart(shared, minMargin, plain, 3)[1]} that counts as a difference`
    : `a real gap, but less than the ${apart(minMargin, margin ?? 0, plain, 3)[0]} that counts as a difference`
}

/** The cases do not tell the leader apart from these. */
const inDoubt = (
  leader: string,
  open: readonly [PairEvidence, ...ReadonlyArray<PairEvidence>],
  margin: number | null,
  minMargin: number
): string => {
  const [first] = open
  const keys = open.map(({ comparison }) => comparison.other)
  const cases = count(first.comparison.sharedCases, "case")
  const level = margin !== null && margin <= epsilon
  if (!level && (first.comparison.composite?.point ?? 0) <= epsilon) {
    return `but not on the ${cases} that ${quoted(first.comparison.other)} has as well${gapOf(first)}`
  }
  const doubt = `${cases} cannot tell ${level ? quoted(leader) : "it"} apart from ${names(keys)}${gapOf(first)}`
  if (level) return `and ${doubt}`
  const small = `less than the ${apart(minMargin, margin ?? 0, plain, 3)[0]} that counts as a difference`
  return margin === null || hasMargin(margin, minMargin) ? `but ${doubt}` : `${small}, and ${doubt}`
}

/** Why the leader is not the winner, given those it has not beaten. */
const obstacle = (
  leader: string,
  rivals: ReadonlyArray<PairEvidence>,
  margin: number | null,
  minMargin: number
): string => {
  const unscored = rivals.filter(({ scored }) => !scored).map(({ comparison }) => comparison.other)
  if (unscored.length > 0) return `but ${names(unscored)} could not be scored`
  const [few] = rivals.filter(({ precision }) => precision === null)
  if (few !== undefined) {
    const shared = count(few.comparison.sharedCases, "measured case")
    return `but ${quoted(few.comparison.other)} shares ${shared} with it, and fewer than ${fewestCases} prove nothing`
  }
  const [first, ...others] = rivals.filter(({ comparison }) => !comparison.separated)
  return first === undefined
    ? tooSmall(rivals, margin, minMargin)
    : inDoubt(leader, [first, ...others], margin, minMargin)
}

const open = (
  inputs: VerdictInputs,
  leader: LeaderboardEntry,
  next: LeaderboardEntry,
  margin: number | null,
  rivals: ReadonlyArray<PairEvidence>
): Verdict => {
  const { minMargin } = inputs.statistics
  const leading = [leader.key, ...rivals.map(({ comparison }) => comparison.other)]
  const ahead = lead(leader, next, margin, minMargin)
  if (inputs.reservation !== null) {
    return unresolved(leading, `${ahead}, but ${reservations[inputs.reservation]}.`, { margin })
  }
  const { casesNeeded, remedy, sentence } = remedyFor(rivals, minMargin)
  const why = obstacle(leader.key, rivals, margin, minMargin)
  return unresolved(leading, `Unresolved: ${ahead}, ${why}. ${sentence}`, { margin, remedy, casesNeeded })
}

const won = (
  inputs: VerdictInputs,
  leader: LeaderboardEntry,
  next: LeaderboardEntry,
  margin: number | null
): Verdict => {
  const closest = inputs.pairs[0]
  const others = inputs.pairs.length === 1 ? "it" : "each of the others"
  const sentence =
    `${quoted(leader.key)} is the winner: ${plain(margin ?? 0, 3)} ahead of ${quoted(next.key)}, ` +
    `and ${count(closest?.comparison.sharedCases ?? 0, "case")} are enough to tell it apart from ${others}` +
    `${closest === undefined ? "" : gapOf(closest)}.`
  return { _tag: "Winner", winner: leader.key, margin, sentence }
}

/**
 * A winner only when the leader is separated from every other ranked contestant and ahead by at least `minMargin`; otherwise
 * the group that leads, and what would settle it.
 */
export const verdictOf = (inputs: VerdictInputs): Verdict => {
  const [leader, next] = inputs.ranked
  if (leader === undefined) return noWinner(inputs.unranked)
  if (next === undefined) return alone(inputs, leader)
  if (leader.composite === null) {
    const sentence = "Unresolved: nothing that is weighted was measured for every ranked contestant."
    return unresolved(
      inputs.ranked.map(({ key }) => key),
      sentence
    )
  }
  const margin = next.composite === null ? null : leader.composite - next.composite
  const { minMargin } = inputs.statistics
  const rivals = inputs.pairs.filter((pair, index) => {
    const other = inputs.ranked[index + 1]
    return other !== undefined && !beaten(leader, other, pair, minMargin)
  })
  return inputs.reservation === null && rivals.length === 0
    ? won(inputs, leader, next, margin)
    : open(inputs, leader, next, margin, rivals)
}
