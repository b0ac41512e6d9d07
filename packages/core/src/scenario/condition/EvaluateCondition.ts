import { type Compared, Fault, named, numberOf, sameData, textOf } from "./Compared.ts"
import { comparePrimitive } from "./ComparePrimitive.ts"
import type { Check, Condition, Test } from "./Condition.ts"
import { occursIn } from "./Patterns.ts"

/** What a condition needs to know of the world. */
export interface ConditionView {
  /** The value at a path; undefined = there is none. */
  readonly resolve: (path: string) => unknown
  /** Calls a function of the project by name; a fault when it fails or is unknown. */
  readonly call: (name: string) => Compared
  /** Hears of comparisons that could not be made. */
  readonly fault: (field: string, message: string) => void
}

const noFlags: ReadonlyArray<string> = []

const compareOrder = (value: unknown, wanted: unknown, test: (order: number) => boolean): Compared => {
  const [left, right] = [numberOf(value), numberOf(wanted)]
  if (left !== null && right !== null) return test(left - right)
  if (typeof value === "string" && typeof wanted === "string" && left === null) {
    return test(value < wanted ? -1 : value > wanted ? 1 : 0)
  }
  return new Fault(`${named(value)} cannot be compared with ${named(wanted)} by size`)
}

const same = (value: unknown, wanted: unknown): boolean => {
  if (typeof wanted !== "number") return sameData(value, wanted)
  return typeof value === "boolean" ? false : numberOf(value) === wanted
}

const contains = (value: unknown, wanted: unknown): Compared => {
  if (typeof value === "string") return value.includes(textOf(wanted))
  if (Array.isArray(value)) return value.some((item) => same(item, wanted))
  if (typeof value === "object" && value !== null) return Object.hasOwn(value, textOf(wanted))
  return new Fault(`${named(value)} contains nothing`)
}

const operate = (operator: string, value: unknown, wanted: unknown): Compared => {
  switch (operator) {
    case "eq":
      return same(value, wanted)
    case "ne":
      return !same(value, wanted)
    case "gt":
      return compareOrder(value, wanted, (order) => order > 0)
    case "gte":
      return compareOrder(value, wanted, (order) => order >= 0)
    case "lt":
      return compareOrder(value, wanted, (order) => order < 0)
    case "lte":
      return compareOrder(value, wanted, (order) => order <= 0)
    case "in":
      return Array.isArray(wanted) ? wanted.some((item) => same(value, item)) : new Fault("in needs a list")
    case "contains":
      return contains(value, wanted)
    default:
      return typeof value === "string" || typeof value === "number"
        ? occursIn(textOf(wanted), noFlags, textOf(value))
        : new Fault(`a pattern can only be looked for in a text, not in ${named(value)}`)
  }
}

/** What a test says of a value; `undefined` is a missing value. */
export const applyTest = (test: Test, value: unknown): Compared => {
  if (test._tag === "Operator" && test.operator === "exists") return (value !== undefined) === (test.value !== false)
  if (value === undefined) return new Fault("there is no such value")
  return test._tag === "Operator"
    ? operate(test.operator, value, test.value)
    : comparePrimitive(test.primitive, value, test.expected)
}

const evaluateCheck = (check: Check, view: ConditionView): boolean => {
  const compared = applyTest(check.test, view.resolve(check.field))
  if (!(compared instanceof Fault)) return compared
  view.fault(check.field, compared.message)
  return false
}

/**
 * Whether a condition holds. Total: a comparison that cannot be made, or a function that fails, counts as "no" and is
 * told to `view.fault`.
 */
export const holds = (condition: Condition, view: ConditionView): boolean => {
  switch (condition._tag) {
    case "Check":
      return evaluateCheck(condition, view)
    case "Not":
      return !holds(condition.condition, view)
    case "All":
      return condition.conditions.every((part) => holds(part, view))
    case "Any":
      return condition.conditions.some((part) => holds(part, view))
    case "Function": {
      const compared = view.call(condition.function)
      if (!(compared instanceof Fault)) return compared
      view.fault(condition.function, compared.message)
      return false
    }
  }
}
