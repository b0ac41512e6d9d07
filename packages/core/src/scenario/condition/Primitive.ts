/** How a value is compared with what was expected. Names and parameters are those of saved documents. */
import * as Schema from "effect/Schema"

const number = Schema.optionalKey(Schema.Finite)
/** Numbers of things that decay over a distance: nothing can decay over none. */
const above0 = Schema.Finite.check(Schema.isGreaterThan(0, { expected: "a number > 0" }))
const atLeast0 = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a number >= 0" }))
const count = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a whole number >= 0" }))
)
/** Of two numbers that must be in order the message names both. */
const inOrder = <A>(message: string, test: (value: A) => boolean) =>
  Schema.makeFilter((value: A) => (test(value) ? undefined : message))
const bounded = ({ max, min }: { readonly min?: number; readonly max?: number }): boolean =>
  min === undefined || max === undefined || min <= max

const flag = Schema.optionalKey(Schema.Boolean)
const text = Schema.optionalKey(Schema.String)

/** Steps applied to a text before it is compared; a map replaces the whole text where it is a key. */
export const Normaliser = Schema.Union([
  Schema.Literals(["lowercase", "strip", "remove_punctuation", "collapse_whitespace"]),
  Schema.Struct({ synonyms: Schema.Record(Schema.String, Schema.String) })
])
export type Normaliser = typeof Normaliser.Type

const normalize = Schema.optionalKey(Schema.Array(Normaliser))
const decay = Schema.optionalKey(Schema.Literals(["linear", "quadratic"]))
const scale = Schema.optionalKey(Schema.Literals(["relative", "absolute"]))
const of = <const Name extends string>(type: Name) => ({ type: Schema.Literal(type) })

const BooleanMatch = Schema.Struct(of("BooleanMatch"))
const ExactMatch = Schema.Struct({ ...of("ExactMatch"), normalize })
const ContainsAny = Schema.Struct({ ...of("ContainsAny"), substrings: Schema.Array(Schema.String), normalize })
const ContainsAll = Schema.Struct({ ...of("ContainsAll"), substrings: Schema.Array(Schema.String), normalize })
const RegexMatch = Schema.Struct({
  ...of("RegexMatch"),
  pattern: Schema.String,
  flags: Schema.optionalKey(Schema.Array(Schema.String))
})
const SemanticMatch = Schema.Struct({ ...of("SemanticMatch"), threshold: number })
const NumericExact = Schema.Struct(of("NumericExact"))
const NumericTolerance = Schema.Struct({ ...of("NumericTolerance"), tolerance: atLeast0, mode: scale })
const NumericRange = Schema.Struct({
  ...of("NumericRange"),
  min: number,
  max: number,
  exclusive_min: flag,
  exclusive_max: flag
}).check(inOrder("min must not be greater than max", bounded))
const NumericMinimum = Schema.Struct({ ...of("NumericMinimum"), exclusive: flag })
const NumericMaximum = Schema.Struct({ ...of("NumericMaximum"), exclusive: flag })
const NumericGraded = Schema.Struct({
  ...of("NumericGraded"),
  cutoff: above0,
  full_credit: Schema.optionalKey(atLeast0),
  mode: scale,
  decay
}).check(
  inOrder(
    "full_credit must be less than cutoff",
    ({ cutoff, full_credit = 0 }: { readonly cutoff: number; readonly full_credit?: number }) => full_credit < cutoff
  )
)
const NumericRangeGraded = Schema.Struct({
  ...of("NumericRangeGraded"),
  min: Schema.Finite,
  max: Schema.Finite,
  margin: above0,
  mode: scale,
  decay,
  exclusive_min: flag,
  exclusive_max: flag
}).check(
  inOrder("min must be less than max", ({ max, min }: { readonly min: number; readonly max: number }) => min < max)
)
const NumericThresholdGraded = Schema.Struct({
  ...of("NumericThresholdGraded"),
  direction: Schema.Literals(["max", "min"]),
  margin: above0,
  mode: scale,
  decay,
  exclusive: flag
})
const SetContainment = Schema.Struct({
  ...of("SetContainment"),
  mode: Schema.optionalKey(Schema.Literals(["exact", "subset", "superset", "overlap"])),
  min_overlap: count
})
const OrderedMatch = Schema.Struct({ ...of("OrderedMatch"), normalize })
const LiteralMatch = Schema.Struct(of("LiteralMatch"))
const DateMatch = Schema.Struct({ ...of("DateMatch"), format: text })
const DateTolerance = Schema.Struct({
  ...of("DateTolerance"),
  tolerance: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a whole number >= 0" })),
  unit: Schema.optionalKey(Schema.Literals(["days", "hours", "minutes"]))
})
const DateRange = Schema.Struct({ ...of("DateRange"), min: text, max: text })
const TraceRegex = Schema.Struct({
  ...of("TraceRegex"),
  pattern: Schema.String,
  count_min: count
})
const TraceContains = Schema.Struct({ ...of("TraceContains"), substring: Schema.String })
const TraceLength = Schema.Struct({
  ...of("TraceLength"),
  min: number,
  max: number,
  unit: Schema.optionalKey(Schema.Literals(["chars", "words"]))
}).check(inOrder("min must not be greater than max", bounded))

/** Every way of comparing, told apart by `type`. */
export const Primitive = Schema.Union([
  BooleanMatch,
  ExactMatch,
  ContainsAny,
  ContainsAll,
  RegexMatch,
  SemanticMatch,
  NumericExact,
  NumericTolerance,
  NumericRange,
  NumericMinimum,
  NumericMaximum,
  NumericGraded,
  NumericRangeGraded,
  NumericThresholdGraded,
  SetContainment,
  OrderedMatch,
  LiteralMatch,
  DateMatch,
  DateTolerance,
  DateRange,
  TraceRegex,
  TraceContains,
  TraceLength
])
export type Primitive = typeof Primitive.Type
export type PrimitiveOf<T extends Primitive["type"]> = Extract<Primitive, { readonly type: T }>

/** Names of all primitives. */
export const primitiveNames: ReadonlyArray<string> = Primitive.members.map(({ fields }) => fields.type.literal)

/** The primitive that a plain value stands for: `{ verify_result: true }`, `{ parsed.name: "Ada" }`. */
export const inferred = (expected: unknown): Primitive => {
  switch (typeof expected) {
    case "boolean":
      return { type: "BooleanMatch" }
    case "number":
      return { type: "NumericExact" }
    default:
      if (expected === null) return { type: "LiteralMatch" }
      return Array.isArray(expected) ? { type: "SetContainment", mode: "exact" } : { type: "ExactMatch" }
  }
}
