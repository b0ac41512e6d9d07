/** Removes secrets from what a target wants kept. */

/** A value that JSON does not hold as it is. */
const notData = Symbol("not data")

const scrubList = (items: ReadonlyArray<unknown>, scrub: (text: string) => string): unknown => {
  // Most traces have no secret: nothing is copied before the first one is found.
  let clean: Array<unknown> | null = null
  for (const [index, item] of items.entries()) {
    const next = scrubData(item, scrub)
    if (next === notData) return notData
    if (clean === null && next !== item) clean = items.slice(0, index)
    clean?.push(next)
  }
  return clean ?? items
}

const scrubMapping = (value: object, scrub: (text: string) => string): unknown => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return notData
  if ("toJSON" in value) return notData
  const keys = Object.keys(value)
  let clean: Array<readonly [string, unknown]> | null = null
  for (const [index, key] of keys.entries()) {
    const item: unknown = Reflect.get(value, key)
    const next = scrubData(item, scrub)
    if (next === notData) return notData
    const name = scrub(key)
    if (clean === null && (next !== item || name !== key)) {
      clean = keys.slice(0, index).map((before) => [before, Reflect.get(value, before)])
    }
    clean?.push([name, next])
  }
  return clean === null ? value : Object.fromEntries(clean)
}

/** The value without secrets: itself when it has none; `notData` when JSON would change it. */
const scrubData = (value: unknown, scrub: (text: string) => string): unknown => {
  switch (typeof value) {
    case "string":
      return scrub(value)
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : notData
    case "object":
      if (value === null) return null
      return Array.isArray(value) ? scrubList(value, scrub) : scrubMapping(value, scrub)
    default:
      return notData
  }
}

/** A trace may hold anything: what is no plain data is taken in its JSON form, and left out when it has none. */
export const scrubTrace = (trace: unknown, scrub: (text: string) => string): unknown => {
  if (trace === null || trace === undefined) return null
  try {
    const clean = scrubData(trace, scrub)
    return clean === notData ? JSON.parse(scrub(JSON.stringify(trace) ?? "null")) : clean
  } catch {
    return null
  }
}
