/** How a value is compared with what was expected. Names and parameters are those of saved documents. */
import * as Schema from "effect/Schema"

const number = Schema.optionalKey(Schema.Finite)
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
const NumericTolerance = Schema.Struct({ ...of("NumericTolerance"), tolerance: Schema.Finite, mode: scale })
const NumericRange = Schema.Struct({
  ...of("NumericRange"),
  min: number,
  max: number,
  exclusive_min: flag,
  exclusive_max: flag
})
const NumericMinimum = Schema.Struct({ ...of("NumericMinimum"), exclusive: flag })
const NumericMaximum = Schema.Struct({ ...of("NumericMaximum"), exclusive: flag })
const NumericGraded = Schema.Struct({
  ...of("NumericGraded"),
  cutoff: Schema.Finite,
  full_credit: number,
  mode: scale,
  decay
})
const NumericRangeGraded = Schema.Struct({
  ...of("NumericRangeGraded"),
  min: Schema.Finite,
  max: Schema.Finite,
  margin: Schema.Finite,
  mode: scale,
  decay,
  exclusive_min: flag,
  exclusive_max: flag
})
const NumericThresholdGraded = Schema.Struct({
  ...of("NumericThresholdGraded"),
  direction: Schema.Literals(["max", "min"]),
  margin: Schema.Finite,
  mode: scale,
  decay,
  exclusive: flag
})
const SetContainment = Schema.Struct({
  ...of("SetContainment"),
  mode: Schema.optionalKey(Schema.Literals(["exact", "subset", "superset", "overlap"])),
  min_overlap: Schema.optionalKey(Schema.Int)
})
const OrderedMatch = Schema.Struct({ ...of("OrderedMatch"), normalize })
const LiteralMatch = Schema.Struct(of("LiteralMatch"))
const DateMatch = Schema.Struct({ ...of("DateMatch"), format: text })
const DateTolerance = Schema.Struct({
  ...of("DateTolerance"),
  tolerance: Schema.Int,
  unit: Schema.optionalKey(Schema.Literals(["days", "hours", "minutes"]))
})
const DateRange = Schema.Struct({ ...of("DateRange"), min: text, max: text })
const TraceRegex = Schema.Struct({
  ...of("TraceRegex"),
  pattern: Schema.String,
  count_min: Schema.optionalKey(Schema.Int)
})
const TraceContains = Schema.Struct({ ...of("TraceContains"), substring: Schema.String })
const TraceLength = Schema.Struct({
  ...of("TraceLength"),
  min: number,
  max: number,
  unit: Schema.optionalKey(Schema.Literals(["chars", "words"]))
})

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
