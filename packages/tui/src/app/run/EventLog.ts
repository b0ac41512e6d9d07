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
  /** Events that nobody heard between `at` and `lastAt`, as far as they are counted; null = an entry like any other. */
  missed: number | null
}

/** Append-only ring. Sequence numbers of entries grow for ever, so that a scrolled reader keeps its place. */
export interface EventLog {
  readonly entries: Array<LogEntry>
  readonly capacity: number
  /** Entries that fell out of the ring. */
  dropped: number
  /** Entries by level, folded ones included. */
  readonly counts: Record<Level, number>
  /** Events that are missing here, as far as they are counted. */
  missed: number
  /** Since when they are, Unix epoch ms; null = every event was heard. */
  missedSince: number | null
}

export const makeEventLog = (capacity = 2000): EventLog => ({
  entries: [],
  capacity,
  dropped: 0,
  counts: { info: 0, warning: 0, error: 0 },
  missed: 0,
  missedSince: null
})

const push = (log: EventLog, entry: LogEntry): void => {
  log.entries.push(entry)
  // Dropping in blocks keeps the amortised cost of an append constant.
  if (log.entries.length >= log.capacity + 256) {
    log.entries.splice(0, 256)
    log.dropped += 256
  }
}

export const append = (log: EventLog, at: number, level: Level, text: string, cell = -1): void => {
  log.counts[level] += 1
  const last = log.entries.at(-1)
  if (last !== undefined && last.text === text && last.level === level && last.cell === cell) {
    last.count += 1
    last.lastAt = at
    return
  }
  push(log, { at, lastAt: at, count: 1, level, text, cell, missed: null })
}

/**
 * Events between two times were not heard: `missed` of them, 0 while nobody has counted. Neighbouring gaps are one entry,
 * so that a long time of too many events is one line and not one for each second of it.
 */
export const appendGap = (log: EventLog, from: number, to: number, missed: number): void => {
  log.missed += missed
  log.missedSince ??= from
  const last = log.entries.at(-1)
  if (last !== undefined && last.missed !== null) {
    last.missed += missed
    last.lastAt = Math.max(last.lastAt, to)
    return
  }
  push(log, { at: from, lastAt: to, count: 1, level: "info", text: "", cell: -1, missed })
}
