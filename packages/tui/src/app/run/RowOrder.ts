/** Which cases show, in which order. Recomputed at most once a second while a run goes on. */
import { type Filter, isDynamic, matchesCase, parseFilter, visibleColumns } from "./Filter.ts"
import { meanScore } from "./MeanScore.ts"
import type { RunModel } from "./RunModel.ts"

export const sortOrders = ["file", "worst", "disagreement"] as const
export type SortOrder = (typeof sortOrders)[number]

export const sortLabel: Readonly<Record<SortOrder, string>> = {
  file: "file order",
  worst: "worst first",
  disagreement: "disagreement first"
}

export interface RowOrder {
  /** Case indices in the order they show. */
  readonly rows: Int32Array
  /** Row of each case, -1 = hidden. */
  readonly positions: Int32Array
  readonly columns: ReadonlyArray<number>
  readonly filter: Filter
}

/** What a case is sorted by: the higher, the earlier. Cases without outcomes come last. */
const sortKey = (model: RunModel, row: number, columns: ReadonlyArray<number>, order: SortOrder): number => {
  let sum = 0
  let squares = 0
  let known = 0
  for (const column of columns) {
    const mean = meanScore(model, row, column)
    if (Number.isNaN(mean)) continue
    sum += mean
    squares += mean * mean
    known += 1
  }
  if (known === 0) return Number.NEGATIVE_INFINITY
  const mean = sum / known
  return order === "worst" ? -mean : Math.sqrt(Math.max(0, squares / known - mean * mean))
}

export const makeRowOrder = (model: RunModel, filterText: string, order: SortOrder): RowOrder => {
  const filter = parseFilter(filterText)
  const columns = visibleColumns(model, filter)
  const matching: Array<number> = []
  for (let row = 0; row < model.caseIds.length; row++) if (matchesCase(model, filter, columns, row)) matching.push(row)
  if (order !== "file") {
    const keys = new Float64Array(model.caseIds.length)
    for (const row of matching) keys[row] = sortKey(model, row, columns, order)
    matching.sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || a - b)
  }
  const positions = new Int32Array(model.caseIds.length).fill(-1)
  for (let at = 0; at < matching.length; at++) positions[matching[at] ?? 0] = at
  return { rows: Int32Array.from(matching), positions, columns, filter }
}

/** Keeps the last order and makes a new one only when it can differ. */
export interface RowOrderCache {
  readonly get: (filter: string, order: SortOrder, now: number) => RowOrder
}

const refreshMs = 1000

export const makeRowOrderCache = (model: RunModel): RowOrderCache => {
  let key = ""
  let madeAt = 0
  let version = -1
  let current: RowOrder | null = null
  return {
    get: (filter, order, now) => {
      const wanted = `${order} ${filter}`
      const fixed = current !== null && order === "file" && !isDynamic(current.filter)
      const fresh = fixed || version === model.version || now - madeAt < refreshMs
      if (current !== null && key === wanted && fresh) return current
      key = wanted
      madeAt = now
      version = model.version
      current = makeRowOrder(model, filter, order)
      return current
    }
  }
}
