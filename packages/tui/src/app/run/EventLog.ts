/** The last few thousand notable events of a run, equal neighbours folded into one line with a count. */

export type Level = "info" | "warning" | "error"

export interface LogEntry {
  /** Unix epoch ms of the first and of the last of the events folded here. */
  readonly at: number
  lastAt: number
  count: number
  readonly level: Level
  readonly text: string
  /** Index of the cell it speaks of; -1 = the run as a whole. */
  readonly cell: number
}

/** Append-only ring. Sequence numbers of entries grow for ever, so that a scrolled reader keeps its place. */
export interface EventLog {
  readonly entries: Array<LogEntry>
  readonly capacity: number
  /** Entries that fell out of the ring. */
  dropped: number
  /** Entries by level, folded ones included. */
  readonly counts: Record<Level, number>
}

export const makeEventLog = (capacity = 2000): EventLog => ({
  entries: [],
  capacity,
  dropped: 0,
  counts: { info: 0, warning: 0, error: 0 }
})

export const append = (log: EventLog, at: number, level: Level, text: string, cell = -1): void => {
  log.counts[level] += 1
  const last = log.entries.at(-1)
  if (last !== undefined && last.text === text && last.level === level && last.cell === cell) {
    last.count += 1
    last.lastAt = at
    return
  }
  log.entries.push({ at, lastAt: at, count: 1, level, text, cell })
  // Dropping in blocks keeps the amortised cost of an append constant.
  if (log.entries.length >= log.capacity + 256) {
    log.entries.splice(0, 256)
    log.dropped += 256
  }
}
