/** Numbers as they appear in sentences. Comparisons of floats allow for `epsilon`. */

/** Two quantities closer than this are the same. */
export const epsilon = 1e-9

type Render = (value: number, digits: number) => string

export const percent: Render = (value, digits) => `${(value * 100).toFixed(digits)} %`
export const usd: Render = (value, digits) => `$${value.toFixed(digits)}`
export const ms: Render = (value, digits) => `${value.toFixed(digits)} ms`
export const plain: Render = (value, digits) => value.toFixed(digits)

const mostDigits = 12

/** Both values with as many digits as it takes to see that they differ, but at least `digits`. */
export const apart = (a: number, b: number, render: Render, digits: number): readonly [string, string] => {
  let shown = digits
  while (shown < mostDigits && a !== b && render(a, shown) === render(b, shown)) shown += 1
  return [render(a, shown), render(b, shown)]
}

/** "1 case", "3 cases". */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** "a", "a and b", "a, b and c". */
export const list = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
