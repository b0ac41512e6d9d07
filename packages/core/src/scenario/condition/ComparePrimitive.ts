import { type Compared, Fault, named, normalised, numberOf, sameData, textOf } from "./Compared.ts"
import { dateIn, dateOf, dayNumber } from "./Dates.ts"
import { matchesOf, occursIn } from "./Patterns.ts"
import type { Normaliser, Primitive, PrimitiveOf } from "./Primitive.ts"

const usualSteps: ReadonlyArray<Normaliser> = ["lowercase", "strip"]
const noSteps: ReadonlyArray<Normaliser> = []
const noFlags: ReadonlyArray<string> = []

/** Differences of floating point arithmetic that are none. */
const epsilon = 1e-9

const withText = (value: unknown, steps: ReadonlyArray<Normaliser>, test: (text: string) => boolean): Compared =>
  value === null ? new Fault("there is no text to look at: the value is null") : test(normalised(textOf(value), steps))

const withNumber = (value: unknown, test: (value: number) => boolean): Compared => {
  const number = numberOf(value)
  return number === null ? new Fault(`expected a number, got ${named(value)}`) : test(number)
}

const withNumbers = (
  value: unknown,
  expected: unknown,
  test: (value: number, expected: number) => boolean
): Compared => {
  const wanted = numberOf(expected)
  if (wanted === null) return new Fault(`the expected value is no number: ${named(expected)}`)
  return withNumber(value, (number) => test(number, wanted))
}

/** Distance from what was expected; null = undefined (relative to 0). */
export const distance = (value: number, expected: number, mode: "relative" | "absolute"): number | null => {
  const difference = Math.abs(value - expected)
  if (mode === "absolute") return difference
  if (expected === 0) return difference === 0 ? 0 : null
  return difference / Math.abs(expected)
}

const atMost = (value: number, limit: number): boolean => value <= limit + epsilon

const inRange = (
  value: number,
  range: {
    readonly min?: number
    readonly max?: number
    readonly exclusive_min?: boolean
    readonly exclusive_max?: boolean
  }
): boolean =>
  (range.min === undefined || (range.exclusive_min === true ? value > range.min : value >= range.min)) &&
  (range.max === undefined || (range.exclusive_max === true ? value < range.max : value <= range.max))

const onRightSide = (
  value: number,
  threshold: number,
  { direction, exclusive }: PrimitiveOf<"NumericThresholdGraded">
): boolean => {
  if (value === threshold) return exclusive !== true
  return direction === "max" ? value < threshold : value > threshold
}

const setOf = (value: unknown): ReadonlySet<string> | null =>
  Array.isArray(value) ? new Set(value.map((item) => textOf(item))) : null

const within = (inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean =>
  [...inner].every((item) => outer.has(item))

const containment = (primitive: PrimitiveOf<"SetContainment">, value: unknown, expected: unknown): Compared => {
  const [own, wanted] = [setOf(value), setOf(expected)]
  if (own === null) return new Fault(`expected a list, got ${named(value)}`)
  if (wanted === null) return new Fault(`the expected value is no list: ${named(expected)}`)
  switch (primitive.mode ?? "exact") {
    case "subset":
      return within(own, wanted)
    case "superset":
      return within(wanted, own)
    case "overlap":
      return [...own].filter((item) => wanted.has(item)).length >= (primitive.min_overlap ?? 1)
    default:
      return own.size === wanted.size && within(own, wanted)
  }
}

const ordered = (steps: ReadonlyArray<Normaliser>, value: unknown, expected: unknown): Compared => {
  if (!Array.isArray(value) || !Array.isArray(expected)) return new Fault(`expected a list, got ${named(value)}`)
  return (
    value.length === expected.length &&
    value.every((item, index) => normalised(textOf(item), steps) === normalised(textOf(expected[index]), steps))
  )
}

const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000 } as const

const withDates = (
  values: ReadonlyArray<number | null>,
  test: (...dates: ReadonlyArray<number>) => boolean
): Compared => {
  const dates = values.flatMap((date) => (date === null ? [] : [date]))
  return dates.length < values.length ? new Fault("expected a date") : test(...dates)
}

const dates = (
  primitive: PrimitiveOf<"DateMatch" | "DateTolerance" | "DateRange">,
  value: unknown,
  expected: unknown
): Compared => {
  if (primitive.type === "DateRange") {
    const { max, min } = primitive
    const bounds = [...(min === undefined ? [] : [dateOf(min)]), ...(max === undefined ? [] : [dateOf(max)])]
    return withDates([dateOf(value), ...bounds], (date = 0) => {
      const [from, to] = [min === undefined ? null : dateOf(min), max === undefined ? null : dateOf(max)]
      return (from === null || date >= from) && (to === null || date <= to)
    })
  }
  if (primitive.type === "DateTolerance") {
    const limit = primitive.tolerance * units[primitive.unit ?? "days"]
    return withDates([dateOf(value), dateOf(expected)], (a = 0, b = 0) => Math.abs(a - b) <= limit)
  }
  const { format } = primitive
  const read = (date: unknown) => (format === undefined ? dateOf(date) : dateIn(date, format))
  return withDates([read(value), read(expected) ?? dateOf(expected)], (a = 0, b = 0) => dayNumber(a) === dayNumber(b))
}

const texts = (primitive: PrimitiveOf<"ContainsAny" | "ContainsAll">, value: unknown): Compared => {
  const steps = primitive.normalize ?? noSteps
  const parts = primitive.substrings.map((part) => normalised(part, steps))
  return withText(value, steps, (text) =>
    primitive.type === "ContainsAny"
      ? parts.some((part) => text.includes(part))
      : parts.every((part) => text.includes(part))
  )
}

const booleans = (value: unknown, expected: unknown): Compared => {
  if (value === null || expected === null) return value === null && expected === null
  return Boolean(value) === Boolean(expected)
}

const agrees = (compared: Compared, expected: unknown): Compared =>
  compared instanceof Fault ? compared : compared === (expected !== false)

const inTrace = (primitive: PrimitiveOf<"TraceRegex" | "TraceContains" | "TraceLength">, value: unknown): Compared => {
  if (typeof value !== "string") return new Fault(`expected a text such as output, got ${named(value)}`)
  switch (primitive.type) {
    case "TraceContains":
      return value.includes(primitive.substring)
    case "TraceRegex": {
      const found = matchesOf(primitive.pattern, noFlags, value)
      return found instanceof Fault ? found : found.length >= (primitive.count_min ?? 1)
    }
    case "TraceLength": {
      const words = value.split(/\s+/).filter((word) => word !== "")
      return inRange(primitive.unit === "words" ? words.length : value.length, primitive)
    }
  }
}

/** Compares a value that exists with what was expected. Total: what cannot be compared is a fault. */
export const comparePrimitive = (primitive: Primitive, value: unknown, expected: unknown): Compared => {
  switch (primitive.type) {
    case "BooleanMatch":
      return booleans(value, expected)
    case "ExactMatch": {
      if (value === null || expected === null) return value === expected
      const steps = primitive.normalize ?? usualSteps
      return normalised(textOf(value), steps) === normalised(textOf(expected), steps)
    }
    case "ContainsAny":
    case "ContainsAll":
      return texts(primitive, value)
    case "RegexMatch":
      return value === null
        ? new Fault("there is no text to look at: the value is null")
        : occursIn(primitive.pattern, primitive.flags ?? noFlags, textOf(value))
    case "SemanticMatch":
      return new Fault("SemanticMatch needs embeddings: use the scorer semantic_similarity in verify instead")
    case "NumericExact":
      return withNumbers(value, expected, (number, wanted) => number === wanted)
    case "NumericTolerance":
      return withNumbers(value, expected, (number, wanted) => {
        const apart = distance(number, wanted, primitive.mode ?? "relative")
        return apart !== null && atMost(apart, primitive.tolerance)
      })
    case "NumericRange":
    case "NumericRangeGraded":
      return withNumber(value, (number) => inRange(number, primitive))
    case "NumericMinimum":
      return withNumbers(value, expected, (number, wanted) =>
        primitive.exclusive === true ? number > wanted : number >= wanted
      )
    case "NumericMaximum":
      return withNumbers(value, expected, (number, wanted) =>
        primitive.exclusive === true ? number < wanted : number <= wanted
      )
    case "NumericGraded":
      return withNumbers(value, expected, (number, wanted) => {
        const apart = distance(number, wanted, primitive.mode ?? "relative")
        return apart !== null && atMost(apart, primitive.full_credit ?? primitive.cutoff)
      })
    case "NumericThresholdGraded":
      return withNumbers(value, expected, (number, wanted) => onRightSide(number, wanted, primitive))
    case "SetContainment":
      return containment(primitive, value, expected)
    case "OrderedMatch":
      return ordered(primitive.normalize ?? usualSteps, value, expected)
    case "LiteralMatch":
      return sameData(value, expected)
    case "DateMatch":
    case "DateTolerance":
    case "DateRange":
      return dates(primitive, value, expected)
    case "TraceRegex":
    case "TraceContains":
    case "TraceLength":
      return agrees(inTrace(primitive, value), expected)
  }
}
