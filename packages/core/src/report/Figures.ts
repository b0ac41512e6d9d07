/** How quantities are written for people. Unknown is always a dash, never a zero. */

/** What stands where a quantity is not known. */
export const unknown = "—"

/** A quantity is written with as many more digits as it takes to show a difference, but not beyond these. */
const extraDigits = 6

/** Differences below this are noise of floating point (the same as in ranking). */
export const epsilon = 1e-9

const grouped = (fixed: string): string => {
  const [integer = "", fraction] = fixed.split(".")
  const groups = integer.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

const fixed = (value: number, digits: number): string => {
  const text = grouped(value.toFixed(Math.min(digits, 20)))
  // Something that rounds to nothing is nothing, not "minus nothing".
  return /^-[0.]*$/.test(text) ? text.slice(1) : text
}

/** Digits after the point that leave `significant` digits of a small value. */
const smallDigits = (value: number, significant: number): number =>
  value === 0 ? 0 : Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))))

interface Notation {
  /** Digits after the point that are usual for this value. */
  readonly digits: (value: number) => number
  readonly write: (value: number, digits: number) => string
}

const percentage: Notation = { digits: () => 1, write: (value, digits) => `${fixed(value * 100, digits)} %` }

const usd: Notation = {
  // A fraction of a cent is shown as such: "$0.00" would say that it was free.
  digits: (value) => (Math.abs(value) < 0.01 ? Math.max(2, smallDigits(value, 2)) : 2),
  write: (value, digits) => (value < 0 ? `-$${fixed(-value, digits)}` : `$${fixed(value, digits)}`)
}

const milliseconds: Notation = {
  digits: (value) => (Math.abs(value) < 1 && value !== 0 ? 2 : 0),
  write: (value, digits) => `${fixed(value, digits)} ms`
}

const whole: Notation = { digits: () => 0, write: fixed }

const score: Notation = { digits: () => 3, write: fixed }

const general: Notation = {
  digits: (value) => (Math.abs(value) >= 1000 ? 1 : Math.abs(value) < 0.01 ? smallDigits(value, 2) : 3),
  write: (value, digits) => {
    const text = fixed(value, digits)
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text
  }
}

const notations: Readonly<Record<string, Notation>> = {
  "0-1": percentage,
  "USD/1k calls": usd,
  ms: milliseconds,
  "tokens/call": whole,
  composite: score
}

/** Writes one quantity; null is unknown. */
export type Format = (value: number | null) => string

/**
 * The format of a column. `pairs` are values whose difference decided something (a value and the limit it broke, two
 * neighbours in the ranking): the column gets the digits that show each of those differences.
 *
 * @param unit - as in `MetricValue.unit`, or `composite` (0..1 with three digits)
 */
export const columnFormat = (unit: string, pairs: ReadonlyArray<readonly [number, number]> = []): Format => {
  const notation = notations[unit] ?? general
  const write = (value: number, more: number) => notation.write(value, notation.digits(value) + more)
  const shows = (more: number) =>
    pairs.every(([a, b]) => Math.abs(a - b) <= epsilon || write(a, more) !== write(b, more))
  let more = 0
  while (more < extraDigits && !shows(more)) more++
  return (value) => (value === null ? unknown : write(value, more))
}

export const percent: Format = columnFormat("0-1")
/** A share that was chosen rather than measured (a weight, a confidence): no more digits than it has. */
export const share: Format = (value) => percent(value).replace(".0 %", " %")
export const composite: Format = columnFormat("composite")
export const latency: Format = columnFormat("ms")
export const count: Format = columnFormat("tokens/call")

/** Money spent: four digits, because runs of small models cost fractions of a cent. */
export const spend: Format = (value) =>
  value === null ? unknown : usd.write(value, value === 0 ? 2 : Math.max(4, usd.digits(value)))

/** A difference with its sign. */
export const signed =
  (format: Format): Format =>
  (value) =>
    value === null ? unknown : value > 0 ? `+${format(value)}` : format(value)

/** "3 calls", "1 call". */
export const plural = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`

/** A span of time in words of at most two units. */
export const duration = (ms: number | null): string => {
  if (ms === null) return unknown
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${fixed(ms / 1000, 1)} s`
  const seconds = Math.round(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}
