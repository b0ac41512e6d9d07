/**
 * A table from whole numbers to values with room for `capacity` entries, which it never outgrows: open addressing with
 * linear probing, and entries moved back into the gap that a deletion leaves (Knuth, TAOCP vol. 3, 6.4, algorithm R).
 *
 * A `Map` that entries run through is rebuilt again and again, and its discarded stores keep what is long finished alive
 * until the next full garbage collection. This one is allocated once.
 */
export interface FixedTable<A> {
  readonly get: (key: number) => A | undefined
  /** Throws `RangeError` when the table is full. */
  readonly set: (key: number, value: A) => void
  readonly delete: (key: number) => void
  readonly size: () => number
  readonly values: () => ReadonlyArray<A>
}

/** Multiplier of Fibonacci hashing for 32 bits: 2^32 divided by the golden ratio. */
const golden = 0x9e3779b1

/** An empty table. Keys are whole numbers from 0 to 2^53 - 1. */
export const make = <A>(capacity: number): FixedTable<A> => {
  const slots = 2 ** Math.max(3, Math.ceil(Math.log2(capacity * 2)))
  const mask = slots - 1
  const shift = 32 - Math.log2(slots)
  const keys = new Float64Array(slots).fill(-1)
  const values: Array<A | undefined> = Array.from({ length: slots }, () => undefined)
  let size = 0

  const home = (key: number): number => Math.imul(key % 4_294_967_296, golden) >>> shift

  /** Where the key stands, or the free place where it would. */
  const find = (key: number): number => {
    let place = home(key)
    while (keys[place] !== key && keys[place] !== -1) place = (place + 1) & mask
    return place
  }

  /** Whether an entry at `place` whose home is `from` may move back to `gap`. */
  const mayMove = (from: number, gap: number, place: number): boolean =>
    ((place - from) & mask) >= ((place - gap) & mask)

  return {
    get: (key) => values[find(key)],
    set: (key, value) => {
      const place = find(key)
      if (keys[place] === -1) {
        if (size >= capacity) throw new RangeError(`a table for ${capacity} entries is full`)
        size += 1
      }
      keys[place] = key
      values[place] = value
    },
    delete: (key) => {
      let gap = find(key)
      if (keys[gap] === -1) return
      size -= 1
      for (let place = (gap + 1) & mask; keys[place] !== -1; place = (place + 1) & mask) {
        const moving = keys[place] ?? -1
        if (!mayMove(home(moving), gap, place)) continue
        keys[gap] = moving
        values[gap] = values[place]
        gap = place
      }
      keys[gap] = -1
      values[gap] = undefined
    },
    size: () => size,
    values: () => values.filter((value) => value !== undefined)
  }
}
