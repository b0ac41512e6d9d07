/** Reading saved documents: values of any shape, and what in them is not understood. */
export type Json = Readonly<Record<string, unknown>>

/** Hears of what a document says and this program does not know. */
export type NotUnderstood = (where: string, what: string) => void

export const isMapping = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const mapping = (value: unknown): Json => (isMapping(value) ? value : {})
export const text = (value: unknown): string => (typeof value === "string" ? value : "")
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Whether a value says anything: null, an empty text and an empty list say the same as nothing. */
export const isFilled = (value: unknown): boolean => {
  if (value === undefined || value === null || value === "") return false
  return typeof value === "object" ? Object.keys(value).length > 0 : true
}

/** Notes keys that are none of `known` and say something. */
export const noteOthers = (saved: Json, known: ReadonlyArray<string>, where: string, note: NotUnderstood): void => {
  for (const [key, value] of Object.entries(saved)) if (!known.includes(key) && isFilled(value)) note(where, key)
}

/** A value without its nulls, however deep: some programs write null for what is not set. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMapping(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]]))
  )
}
