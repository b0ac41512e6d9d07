/**
 * JSON that gives back what was put in, minus zero included, and that never throws: a record is written even when the
 * code of a target has left something in it that JSON cannot hold.
 */

/** Deeper structures are cut off there; JSON itself would overflow the stack somewhat later. */
const maxDepth = 500

const objectToJson = (value: object, depth: number, parents: ReadonlySet<object>): string => {
  if (parents.has(value)) return '"[circular]"'
  if (depth >= maxDepth) return '"[too deep]"'
  if ("toJSON" in value && typeof value.toJSON === "function") return toJson(value.toJSON(""), depth + 1, parents)
  const within = new Set(parents).add(value)
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item, depth + 1, within)).join(",")}]`
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined || typeof item === "function" || typeof item === "symbol"
      ? []
      : [`${JSON.stringify(key)}:${toJson(item, depth + 1, within)}`]
  )
  return `{${members.join(",")}}`
}

const toJson = (value: unknown, depth: number, parents: ReadonlySet<object>): string => {
  switch (typeof value) {
    case "number":
      return Object.is(value, -0) ? "-0" : JSON.stringify(value)
    case "bigint":
      return `"${value}"`
    case "object":
      return value === null ? "null" : objectToJson(value, depth, parents)
  }
  return JSON.stringify(value) ?? "null"
}

/** Whether `JSON.stringify` is exact for the value: plain data without minus zero, and not too deep. */
const isOrdinary = (value: unknown, depth: number): boolean => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return !Object.is(value, -0)
    case "object":
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth >= maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isOrdinary(item, depth + 1))
  if ("toJSON" in value) return false
  for (const key in value) {
    if (!isOrdinary(Reflect.get(value, key), depth + 1)) return false
  }
  return true
}

/** The value as JSON. What JSON cannot hold becomes text or null in its place. */
export const stringify = (value: unknown): string => {
  try {
    return isOrdinary(value, 0) ? JSON.stringify(value) : toJson(value, 0, new Set())
  } catch (cause) {
    // Only code of the value itself can throw: a getter, a proxy, `toJSON`.
    return JSON.stringify(`[unreadable: ${cause instanceof Error ? cause.message : "unknown"}]`)
  }
}
