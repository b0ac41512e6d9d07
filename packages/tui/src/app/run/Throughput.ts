/** Finished cells a second over the recent past: what the remaining time is computed from. */

const windowMs = 30_000
const stepMs = 500

/** Samples of (time, finished), oldest first, at most one per half second and none older than 30 s. */
export interface Throughput {
  readonly times: Array<number>
  readonly counts: Array<number>
}

export const makeThroughput = (): Throughput => ({ times: [], counts: [] })

export const sample = (throughput: Throughput, at: number, finished: number): void => {
  const { times, counts } = throughput
  const last = times.at(-1)
  if (last !== undefined && at - last < stepMs) return
  times.push(at)
  counts.push(finished)
  while (times.length > 2 && at - (times[0] ?? at) > windowMs) {
    times.shift()
    counts.shift()
  }
}

/** Forgets the past: after a pause the old rate says nothing. */
export const restart = (throughput: Throughput): void => {
  throughput.times.length = 0
  throughput.counts.length = 0
}

/** Cells per second; null while too little is known to say. */
export const rate = (throughput: Throughput, at: number, finished: number): number | null => {
  const start = throughput.times[0]
  const done = finished - (throughput.counts[0] ?? 0)
  if (start === undefined || at - start < 1000 || done <= 0) return null
  return (done * 1000) / (at - start)
}

/** Time until everything is done at the present rate, ms; null when it cannot be told. */
export const remainingMs = (perSecond: number | null, left: number): number | null =>
  perSecond === null || perSecond <= 0 ? null : (left / perSecond) * 1000
