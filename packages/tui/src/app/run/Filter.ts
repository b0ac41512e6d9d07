/** The filter language of the matrix: `text tag:x status:y contestant:z`; several words must all hold. */
import { type StateName, states } from "./CellState.ts"
import type { RunModel } from "./RunModel.ts"

export interface Filter {
  /** Lower-case pieces of the case id. */
  readonly words: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  /** State indices; a row shows when one of its cells is in one of them. */
  readonly states: ReadonlyArray<number>
  /** Lower-case pieces of the contestant's key or label; columns that match one of them show. */
  readonly contestants: ReadonlyArray<string>
  /** Words that were not understood. */
  readonly unknown: ReadonlyArray<string>
}

const aliases: Readonly<Record<string, StateName>> = {
  passed: "pass",
  ok: "pass",
  failed: "fail",
  wrong: "fail",
  errors: "error",
  errored: "error",
  "timed-out": "timeout",
  timedout: "timeout",
  waiting: "queued",
  pending: "queued"
}

const stateIndex = (word: string): number => {
  const names: ReadonlyArray<string> = states
  return names.indexOf(aliases[word] ?? word)
}

export const parseFilter = (text: string): Filter => {
  const words: Array<string> = []
  const tags: Array<string> = []
  const wanted: Array<number> = []
  const contestants: Array<string> = []
  const unknown: Array<string> = []
  for (const word of text
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== "")) {
    const [, name, value = ""] = /^(tag|status|contestant):(.*)$/.exec(word) ?? []
    if (name === undefined) words.push(word)
    else if (value === "") continue
    else if (name === "tag") tags.push(value)
    else if (name === "contestant") contestants.push(value)
    else if (stateIndex(value) < 0) unknown.push(word)
    else wanted.push(stateIndex(value))
  }
  return { words, tags, states: wanted, contestants, unknown }
}

/** Whether the visible rows can change while the run goes on. */
export const isDynamic = (filter: Filter): boolean => filter.states.length > 0

/** Indices of the contestants whose columns show; all when none is asked for or none matches. */
export const visibleColumns = (model: RunModel, filter: Filter): ReadonlyArray<number> => {
  const all = model.contestants.map((_, index) => index)
  if (filter.contestants.length === 0) return all
  const matching = all.filter((index) => {
    const contestant = model.contestants[index]
    const names = `${contestant?.key ?? ""}\n${contestant?.label ?? ""}`.toLowerCase()
    return filter.contestants.some((wanted) => names.includes(wanted))
  })
  return matching.length === 0 ? all : matching
}

const hasState = (
  model: RunModel,
  row: number,
  columns: ReadonlyArray<number>,
  wanted: ReadonlyArray<number>
): boolean => {
  for (const column of columns) {
    const start = (row * model.contestants.length + column) * model.trials
    for (let index = start; index < start + model.trials; index++) {
      if (wanted.includes((model.states[index] ?? 0) & 15)) return true
    }
  }
  return false
}

/** Whether a case shows. */
export const matchesCase = (model: RunModel, filter: Filter, columns: ReadonlyArray<number>, row: number): boolean => {
  const id = (model.caseIds[row] ?? "").toLowerCase()
  if (!filter.words.every((word) => id.includes(word))) return false
  const tags = model.caseTags[row] ?? []
  if (!filter.tags.every((tag) => tags.some((own) => own.toLowerCase().includes(tag)))) return false
  return filter.states.length === 0 || hasState(model, row, columns, filter.states)
}
