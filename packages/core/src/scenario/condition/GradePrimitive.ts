import { Fault, numberOf } from "./Compared.ts"
import { comparePrimitive, distance } from "./ComparePrimitive.ts"
import type { Primitive } from "./Primitive.ts"

/** Credit at `apart` between full credit (`inner`) and none (`outer`). */
const decayed = (apart: number, inner: number, outer: number, decay: "linear" | "quadratic"): number => {
  if (apart <= inner) return 1
  if (apart >= outer) return 0
  const share = (apart - inner) / (outer - inner)
  return decay === "quadratic" ? 1 - share * share : 1 - share
}

const plainGrade = (primitive: Primitive, value: unknown, expected: unknown): number | null => {
  const compared = comparePrimitive(primitive, value, expected)
  return compared instanceof Fault ? null : compared ? 1 : 0
}

/** Credit for a value, 0..1: graded primitives decay towards their limit, all others give all or nothing; null = fault. */
export const gradePrimitive = (primitive: Primitive, value: unknown, expected: unknown): number | null => {
  const number = numberOf(value)
  const wanted = numberOf(expected)
  switch (primitive.type) {
    case "NumericGraded": {
      if (number === null || wanted === null) return null
      const apart = distance(number, wanted, primitive.mode ?? "relative")
      return apart === null
        ? 0
        : decayed(apart, primitive.full_credit ?? 0, primitive.cutoff, primitive.decay ?? "linear")
    }
    case "NumericRangeGraded": {
      if (number === null) return null
      if (comparePrimitive(primitive, number, expected) === true) return 1
      const { margin, max, min } = primitive
      const shoulder = primitive.mode === "relative" ? margin * (max - min) : margin
      return decayed(Math.max(min - number, number - max), 0, shoulder, primitive.decay ?? "linear")
    }
    case "NumericThresholdGraded": {
      if (number === null || wanted === null) return null
      if (comparePrimitive(primitive, number, wanted) === true) return 1
      const absolute = primitive.mode === "absolute"
      const shoulder = absolute ? primitive.margin : primitive.margin * Math.abs(wanted)
      return shoulder === 0 ? 0 : decayed(Math.abs(number - wanted), 0, shoulder, primitive.decay ?? "linear")
    }
    default:
      return plainGrade(primitive, value, expected)
  }
}
