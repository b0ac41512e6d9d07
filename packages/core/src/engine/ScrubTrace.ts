/** Removes secrets from what a target wants kept. */

/** A value that JSON does not hold as it is. */
const notData = Symbol("not data")

const scrubList = (items: ReadonlyArray<unknown>, scrub: (text: string) => string): unknown => {
  let changed = false
  const clean = items.map((item) => {
    const next = scrubData(item, scrub)
    changed ||= next !== item
    return next
  })
  if (clean.includes(notData)) return notData
  return changed ? clean : items
}

const scrubMapping = (value: object, scrub: (text: string) => string): unknown => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return notData
  if ("toJSON" in value) return notData
  let changed = false
  const entries: Array<[string, unknown]> = []
  for (const [key, item] of Object.entries(value)) {
    const next = scrubData(item, scrub)
    if (next === notData) return notData
    const name = scrub(key)
    changed ||= next !== item || name !== key
    entries.push([name, next])
  }
  return changed ? Object.fromEntries(entries) : value
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
