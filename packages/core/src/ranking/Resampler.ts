import { drawCounts, seeded } from "./Sfc32.ts"

/** Number of a column of per-case values whose sum is wanted in every resample. */
export type ColumnId = number

/** Number of a percentile that is wanted in every resample. */
export type TailId = number

/** Values of single cells, greatest first, with the case each belongs to; `count` is the column of how many a case has. */
export interface Tail {
  readonly values: Float64Array
  readonly cases: Int32Array
  readonly count: ColumnId
  /** 0..1 */
  readonly share: number
}

/** One number for each resample; place 0 holds the data as measured. */
export interface Resamples {
  readonly sums: (column: ColumnId) => Float64Array
  readonly percentiles: (tail: TailId) => Float64Array
}

/**
 * Resamples whole cases with replacement. All columns share each draw, so anything computed from one resample of several
 * contestants is paired. Equal columns are summed once.
 */
export interface Resampler {
  readonly column: (values: Float64Array) => ColumnId
  readonly tail: (tail: Tail) => TailId
  readonly run: (resamples: number, seed: number) => Resamples
}

/** A column, as it is cheapest to sum: one value with (few) exceptions, kept as differences from it, or anything. */
type Column =
  | { readonly _tag: "Even"; readonly value: number; readonly cases: Int32Array; readonly differences: Float64Array }
  | { readonly _tag: "Dense"; readonly values: Float64Array }

/** Exceptions are summed one by one, dense columns four at a time: beyond this share the latter is quicker. */
const mostExceptions = 1 / 8

/** The value that most places hold, if there is one (Boyer and Moore's vote). */
const majority = (values: Float64Array): number => {
  let candidate = 0
  let votes = 0
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0
    if (votes === 0) candidate = value
    votes += value === candidate ? 1 : -1
  }
  return candidate
}

const classify = (values: Float64Array): Column => {
  const value = majority(values)
  const allowed = Math.floor(values.length * mostExceptions)
  const cases = new Int32Array(allowed)
  let found = 0
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] === value) continue
    if (found === allowed) return { _tag: "Dense", values }
    cases[found] = index
    found += 1
  }
  const exceptions = cases.subarray(0, found)
  return {
    _tag: "Even",
    value,
    cases: exceptions,
    differences: Float64Array.from(exceptions, (index) => (values[index] ?? 0) - value)
  }
}

const sumOfEven = (counts: Float64Array, { cases, differences, value }: Extract<Column, { _tag: "Even" }>): number => {
  let total = value * counts.length
  for (let index = 0; index < cases.length; index += 1) {
    total += (counts[cases[index] ?? 0] ?? 0) * (differences[index] ?? 0)
  }
  return total
}

const lanes = 4

/** Four dense columns, interleaved by case; `ids` may be fewer than four. */
interface Block {
  readonly ids: ReadonlyArray<ColumnId>
  readonly values: Float64Array
}

const blockOf = (size: number, dense: ReadonlyArray<readonly [ColumnId, Float64Array]>): Block => {
  const values = new Float64Array(size * lanes)
  dense.forEach(([, column], lane) => {
    for (let index = 0; index < size; index += 1) values[index * lanes + lane] = column[index] ?? 0
  })
  return { ids: dense.map(([id]) => id), values }
}

/**
 * The sums of four columns under two resamples at once: the columns are read once for both, and reading them is what costs.
 */
const sumBlock = (one: Float64Array, two: Float64Array, values: Float64Array, into: Float64Array): void => {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let e = 0
  let f = 0
  let g = 0
  let h = 0
  for (let index = 0, at = 0; index < one.length; index += 1, at += lanes) {
    const once = one[index] ?? 0
    const twice = two[index] ?? 0
    const first = values[at] ?? 0
    const second = values[at + 1] ?? 0
    const third = values[at + 2] ?? 0
    const fourth = values[at + 3] ?? 0
    a += once * first
    b += once * second
    c += once * third
    d += once * fourth
    e += twice * first
    f += twice * second
    g += twice * third
    h += twice * fourth
  }
  into.set([a, b, c, d, e, f, g, h])
}

/** Percentile of `total` values with linear interpolation, walking down from the greatest. */
const percentileOf = (counts: Float64Array, tail: Tail, total: number): number => {
  if (!(total > 0)) return Number.NaN
  const position = (total - 1) * tail.share
  const below = Math.floor(position)
  const fromTop = total - 1 - below
  let above = Number.NaN
  let seen = 0
  for (let index = 0; index < tail.values.length; index += 1) {
    seen += counts[tail.cases[index] ?? 0] ?? 0
    const value = tail.values[index] ?? Number.NaN
    if (Number.isNaN(above) && seen > fromTop - 1 && seen > 0) above = value
    if (seen > fromTop) return position === below ? value : value + (above - value) * (position - below)
  }
  return Number.NaN
}

const equal = (a: Float64Array, b: Float64Array): boolean => {
  let index = 0
  while (index < a.length && a[index] === b[index]) index += 1
  return index === a.length
}

interface Plan {
  readonly blocks: ReadonlyArray<Block>
  readonly even: ReadonlyArray<readonly [ColumnId, Extract<Column, { readonly _tag: "Even" }>]>
  readonly tails: ReadonlyArray<Tail>
}

const planOf = (size: number, columns: ReadonlyArray<Float64Array>, tails: ReadonlyArray<Tail>): Plan => {
  const kinds = columns.map(classify)
  const dense = kinds.flatMap((kind, id) => (kind._tag === "Dense" ? [[id, kind.values] as const] : []))
  return {
    blocks: Array.from({ length: Math.ceil(dense.length / lanes) }, (_, block) =>
      blockOf(size, dense.slice(block * lanes, (block + 1) * lanes))
    ),
    even: kinds.flatMap((kind, id) => (kind._tag === "Dense" ? [] : [[id, kind] as const])),
    tails
  }
}

interface Table {
  readonly sums: ReadonlyArray<Float64Array>
  readonly percentiles: ReadonlyArray<Float64Array>
}

const put = (column: Float64Array | undefined, at: number, value: number): void => {
  if (column !== undefined) column[at] = value
}

/** How often each case was drawn in two resamples, and room for their sums over one block. */
interface Draws {
  readonly one: Float64Array
  readonly two: Float64Array
  readonly scratch: Float64Array
}

const measureOthers = (plan: Plan, counts: Float64Array, table: Table, resample: number): void => {
  for (const [id, column] of plan.even) put(table.sums[id], resample, sumOfEven(counts, column))
  plan.tails.forEach((tail, id) => {
    put(table.percentiles[id], resample, percentileOf(counts, tail, table.sums[tail.count]?.[resample] ?? 0))
  })
}

/** Takes every sum and percentile of this resample and the next; a place past the end of a row is not written. */
const measure = (plan: Plan, draws: Draws, table: Table, resample: number): void => {
  for (const block of plan.blocks) {
    sumBlock(draws.one, draws.two, block.values, draws.scratch)
    for (let lane = 0; lane < block.ids.length; lane += 1) {
      const row = table.sums[block.ids[lane] ?? -1]
      put(row, resample, draws.scratch[lane] ?? 0)
      put(row, resample + 1, draws.scratch[lane + lanes] ?? 0)
    }
  }
  measureOthers(plan, draws.one, table, resample)
  measureOthers(plan, draws.two, table, resample + 1)
}

const empty = new Float64Array(0)

/** Starts a resampler over `size` cases. */
export const make = (size: number): Resampler => {
  const columns: Array<Float64Array> = []
  const tails: Array<Tail> = []
  return {
    column: (values) => {
      const known = columns.findIndex((column) => equal(column, values))
      return known >= 0 ? known : columns.push(values) - 1
    },
    tail: (tail) => tails.push(tail) - 1,
    run: (resamples, seed) => {
      const plan = planOf(size, columns, tails)
      const row = () => new Float64Array(resamples + 1)
      const table = { sums: columns.map(row), percentiles: tails.map(row) }
      const ones = () => new Float64Array(size).fill(1)
      const draws = { one: ones(), two: ones(), scratch: new Float64Array(2 * lanes) }
      const state = seeded(seed)
      measure(plan, draws, table, 0)
      for (let resample = 1; resample <= resamples; resample += 2) {
        drawCounts(state, draws.one)
        drawCounts(state, draws.two)
        measure(plan, draws, table, resample)
      }
      return {
        sums: (column) => table.sums[column] ?? empty,
        percentiles: (tail) => table.percentiles[tail] ?? empty
      }
    }
  }
}
