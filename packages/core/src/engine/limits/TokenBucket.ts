/**
 * A bucket that refills at a constant rate. In any span of `t` ms at most `capacity + ratePerMs · t` is taken from it,
 * but for the one request that is larger than what is there. Pure; amounts are requests or tokens, times ms.
 */
export interface TokenBucket {
  readonly capacity: number
  readonly ratePerMs: number
  /** What is there at `updatedAt`; below 0 = owed by requests that turned out larger than expected. */
  readonly level: number
  readonly updatedAt: number
}

const minuteMs = 60_000

/** A full bucket of `perMinute` a minute that holds `capacity`. */
export const make = (perMinute: number, capacity: number, now: number): TokenBucket => ({
  capacity,
  ratePerMs: perMinute / minuteMs,
  level: capacity,
  updatedAt: now
})

/** The bucket as it is now. A clock that went back changes nothing. */
export const refill = (bucket: TokenBucket, now: number): TokenBucket => {
  if (now <= bucket.updatedAt) return bucket
  const level = Math.min(bucket.capacity, bucket.level + (now - bucket.updatedAt) * bucket.ratePerMs)
  return { ...bucket, level, updatedAt: now }
}

/** Rounding of the refill must not make a waiter wait again for nothing. */
const epsilon = 1e-9

/**
 * How long until `amount` may be taken, ms; 0 = now. An amount larger than the bucket may be taken from a full one: it
 * could never be taken otherwise, and the bucket then stays in debt for as long as it costs.
 */
export const waitFor = (bucket: TokenBucket, amount: number, now: number): number => {
  const current = refill(bucket, now)
  const short = Math.min(amount, bucket.capacity) - current.level
  return short <= epsilon ? 0 : short / bucket.ratePerMs
}

/** Takes `amount`, whether or not it is there. */
export const take = (bucket: TokenBucket, amount: number, now: number): TokenBucket => {
  const current = refill(bucket, now)
  return { ...current, level: current.level - amount }
}

/** Corrects what was taken: `difference` more was used (or less, if negative). */
export const correct = (bucket: TokenBucket, difference: number, now: number): TokenBucket => {
  const current = refill(bucket, now)
  return { ...current, level: Math.min(current.capacity, current.level - difference) }
}
