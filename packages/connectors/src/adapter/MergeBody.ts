type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** A request body with more params in it: maps are merged, anything else of `extras` replaces what was there. */
export const mergeBody = (body: Json, extras: Json): Record<string, unknown> => {
  const merged: Record<string, unknown> = { ...body }
  for (const [name, value] of Object.entries(extras)) {
    const present = merged[name]
    merged[name] = isRecord(present) && isRecord(value) ? mergeBody(present, value) : value
  }
  return merged
}
