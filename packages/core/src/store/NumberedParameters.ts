/**
 * Parameters with a number (`?2`) as parameters without one. `node:sqlite` of Node 22 takes `?2` for the name of a
 * parameter and cannot bind it by its place.
 */

/** A statement whose parameters have no numbers, and which value each of them takes (0 = the first). */
export interface PlainStatement {
  readonly sql: string
  /** Null = the values in their own order. */
  readonly order: ReadonlyArray<number> | null
}

/** Text and names in quotes, comments, or a parameter. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g

/** Rewrites a statement that has numbered parameters. A `?` without a number is one more than the largest before it. */
export const plainStatement = (sql: string): PlainStatement => {
  if (!/\?\d/.test(sql)) return { sql, order: null }
  const order: Array<number> = []
  let largest = 0
  const plain = sql.replace(token, (whole, number: string | undefined) => {
    if (number === undefined) return whole
    const place = number === "" ? largest + 1 : Number(number)
    largest = Math.max(largest, place)
    order.push(place - 1)
    return "?"
  })
  return { sql: plain, order }
}
