/** Which marks in a run of digits group thousands and which is the decimal mark. */

/** How decimals are written: decided from the marks, or told. */
export type DecimalMark = "auto" | "point" | "comma"

/** One number in a run: `digits` as JavaScript reads them, or a problem. Offsets are into the run. */
export interface Reading {
  readonly digits: string
  readonly problem: string
  readonly from: number
  readonly to: number
}

const threes = /^\d{1,3}(?:.\d{3})+$/
const indian = /^\d{1,2}(?:,\d{2})+,\d{3}$/
const spaces = /[\u00a0\u202f\u2009]/g

/** Whether every mark in an integer part stands where a thousands separator would. */
const isGrouped = (integer: string): boolean => {
  const marks = new Set(integer.replace(/\d/g, ""))
  if (marks.size === 0) return true
  return marks.size === 1 && !integer.startsWith("0") && (threes.test(integer) || indian.test(integer))
}

/** Digits after the decimal mark; scientific texts group them, too. */
const fractionPattern = /^(?:\d+|(?:\d{3}['_ ])+\d{1,3})$/

const plain = (integer: string, fraction: string | null): string => {
  const digits = integer.replace(/\D/g, "")
  return fraction === null ? digits : `${digits === "" ? "0" : digits}.${fraction.replace(/\D/g, "")}`
}

type Verdict =
  | { readonly _tag: "Number"; readonly digits: string }
  | { readonly _tag: "Ambiguous"; readonly problem: string }
  /** Several numbers separated by these characters. */
  | { readonly _tag: "List"; readonly separators: RegExp }
  /** A version, an address: no number at all. */
  | { readonly _tag: "None" }

const number = (digits: string): Verdict => ({ _tag: "Number", digits })
const ambiguous = (problem: string): Verdict => ({ _tag: "Ambiguous", problem })
const none: Verdict = { _tag: "None" }

const splitAtLast = (run: string, mark: string): readonly [string, string] => {
  const at = run.lastIndexOf(mark)
  return [run.slice(0, at), run.slice(at + 1)]
}

const count = (run: string, mark: string): number => run.split(mark).length - 1

/** Read with a known decimal mark; the other one groups. */
const withMark = (run: string, mark: "." | ","): Verdict => {
  const marks = count(run, mark)
  if (marks > 1 && mark === ",") {
    return threes.test(run) ? ambiguous("its commas group thousands") : { _tag: "List", separators: /,/g }
  }
  if (marks > 1) return none
  const [integer, fraction] = marks === 1 ? splitAtLast(run, mark) : [run, null]
  if (isGrouped(integer) && (fraction === null || fractionPattern.test(fraction)))
    return number(plain(integer, fraction))
  if (mark === "," && run.includes(".")) return count(run, ".") > 1 ? none : ambiguous("its point groups no thousands")
  return { _tag: "List", separators: /[,'_ ]/g }
}

const onlyCommas = (run: string, grouped: boolean): Verdict => {
  if (isGrouped(run)) return number(plain(run, null))
  if (count(run, ",") > 1) return { _tag: "List", separators: /[,'_ ]/g }
  const [integer, fraction] = splitAtLast(run, ",")
  if (grouped && isGrouped(integer)) return number(plain(integer, fraction))
  return grouped
    ? { _tag: "List", separators: /[,'_ ]/g }
    : ambiguous("its comma may be a decimal mark or separate two numbers")
}

const onlyPoints = (run: string): Verdict => {
  if (count(run, ".") > 1) return /^\d{1,3}(?:\.\d{3})+$/.test(run) && isGrouped(run) ? number(plain(run, null)) : none
  return withMark(run, ".")
}

/** Read by its own marks: when both occur, the last one is the decimal mark. */
const byItself = (run: string): Verdict => {
  const commas = run.includes(",")
  const points = run.includes(".")
  if (commas && points) {
    const mark = run.lastIndexOf(",") > run.lastIndexOf(".") ? "," : "."
    const [integer, fraction] = splitAtLast(run, mark)
    if (count(run, mark) === 1 && isGrouped(integer)) return number(plain(integer, fraction))
    return ambiguous("its points and commas do not fit one number")
  }
  if (commas) return onlyCommas(run, /['_ ]/.test(run))
  return points ? onlyPoints(run) : withMark(run, ".")
}

const verdictOf = (run: string, decimal: DecimalMark): Verdict => {
  if (/^\d+$/.test(run)) return number(run)
  if (run.startsWith(".")) return /^\.\d+$/.test(run) ? number(`0${run}`) : none
  return decimal === "auto" ? byItself(run) : withMark(run, decimal === "point" ? "." : ",")
}

/** The numbers in a run of digits joined by points, commas, apostrophes, underscores and typographic spaces. */
export const classify = (run: string, decimal: DecimalMark): ReadonlyArray<Reading> => {
  const uniform = run.replace(spaces, " ")
  const verdict = verdictOf(uniform, decimal)
  switch (verdict._tag) {
    case "Number":
      return [{ digits: verdict.digits, problem: "", from: 0, to: run.length }]
    case "Ambiguous":
      return [{ digits: "", problem: verdict.problem, from: 0, to: run.length }]
    case "None":
      return []
    case "List":
      return listed(uniform, verdict.separators)
  }
}

/** Pieces of a list; a piece with one point is a decimal, one with more is no number. */
const listed = (run: string, separators: RegExp): ReadonlyArray<Reading> => {
  const readings: Array<Reading> = []
  let from = 0
  const add = (to: number) => {
    const piece = run.slice(from, to)
    if (/^\d+(?:\.\d+)?$/.test(piece)) readings.push({ digits: piece, problem: "", from, to })
    from = to + 1
  }
  for (const separator of run.matchAll(separators)) add(separator.index)
  add(run.length)
  return readings
}
