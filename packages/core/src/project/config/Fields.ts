/** Building blocks of the schemas of project files: every field says in words what it expects. */
import * as Schema from "effect/Schema"

/** A key that may be absent or empty (`null`), with the sentence that editors and the published schema show. */
export const optional = <S extends Schema.Top>(schema: S, expected: string, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ expected, description }))

const Text = Schema.String.annotate({ expected: "text" })
const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]).annotate({ expected: "text" })
/** Options whose shape belongs to whoever reads them. */
export const Options = Schema.Record(Schema.String, Schema.Unknown)
const Texts = Schema.Union([Text, Schema.Array(Text)])
const Scalars = Schema.Union([Scalar, Schema.Array(Scalar)])

export const text = (description: string) => optional(Text, "text", description)

export const filledText = (description: string) => {
  const expected = "a text that is not empty"
  return optional(
    Schema.String.annotate({ expected }).check(Schema.isMinLength(1, { expected })),
    expected,
    description
  )
}

/** Text, or a number or boolean that is taken as it is written. */
export const scalar = (description: string) => optional(Scalar, "text", description)

export const texts = (description: string) => optional(Texts, "a text or a list of texts", description)

/** A list of texts in which numbers and booleans are taken as they are written. */
export const scalars = (description: string) => optional(Scalars, "a text or a list of texts", description)

export const flag = (description: string) => optional(Schema.Boolean, "true or false", description)

export const anything = (description: string) =>
  Schema.optionalKey(Schema.Unknown).pipe(Schema.annotateKey({ description }))

export const options = (description: string) => optional(Options, "a mapping", description)

export const textMap = (description: string) =>
  optional(Schema.Record(Schema.String, Text), "a mapping of texts", description)

export interface Range {
  readonly min?: number
  readonly max?: number
  /** Bounds themselves do not count. */
  readonly above?: number
  readonly below?: number
}

const rangeText = ({ min, max, above, below }: Range): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (above !== undefined && below !== undefined) return ` above ${above} and below ${below}`
  if (min !== undefined) return ` >= ${min}`
  return above === undefined ? "" : ` > ${above}`
}

const rangeChecks = ({ min, max, above, below }: Range, expected: string) => [
  ...(min === undefined ? [] : [Schema.isGreaterThanOrEqualTo(min, { expected })]),
  ...(max === undefined ? [] : [Schema.isLessThanOrEqualTo(max, { expected })]),
  ...(above === undefined ? [] : [Schema.isGreaterThan(above, { expected })]),
  ...(below === undefined ? [] : [Schema.isLessThan(below, { expected })])
]

/** A finite number, not optional by itself. */
export const Num = (range: Range) => {
  const expected = `a number${rangeText(range)}`
  return Schema.Number.annotate({ expected }).check(Schema.isFinite({ expected }), ...rangeChecks(range, expected))
}

export const number = (description: string, range: Range = {}) =>
  optional(Num(range), `a number${rangeText(range)}`, description)

export const wholeNumber = (description: string, range: Range = {}) => {
  const expected = `a whole number${rangeText(range)}`
  const schema = Schema.Number.annotate({ expected }).check(Schema.isInt({ expected }), ...rangeChecks(range, expected))
  return optional(schema, expected, description)
}

export const oneOf = <const L extends ReadonlyArray<string>>(choices: L, description: string) =>
  optional(Schema.Literals(choices), `one of ${choices.join(", ")}`, description)
