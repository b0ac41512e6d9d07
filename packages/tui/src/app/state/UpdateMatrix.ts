/** Movements in the matrix and its panes. */
import { isProblem } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { type RowOrder, sortOrders } from "../run/RowOrder.ts"
import { cellIndex } from "../run/RunModel.ts"
import { gridLayout } from "../view/GridLayout.ts"
import type { Pane } from "../view/Layout.ts"
import { scrollTo } from "../view/Text.ts"
import type { MatrixState } from "./AppState.ts"
import type { Action } from "./Keymap.ts"

/** Keeps the cursor on a visible case and column, and both in the window. */
export const settle = (run: OpenRun, order: RowOrder, matrix: MatrixState, pane: Pane): MatrixState => {
  const layout = gridLayout(run.model, order.columns, pane)
  const position = order.positions[matrix.caseIndex] ?? -1
  const row = position >= 0 ? position : Math.min(matrix.top, Math.max(0, order.rows.length - 1))
  const column = Math.max(0, order.columns.indexOf(matrix.contestant))
  const next: MatrixState = {
    ...matrix,
    caseIndex: order.rows[row] ?? matrix.caseIndex,
    contestant: order.columns[column] ?? 0,
    top: scrollTo(matrix.top, row, layout.rows, order.rows.length),
    left: scrollTo(matrix.left, column, layout.shown, order.columns.length)
  }
  return same(next, matrix) ? matrix : next
}

const same = (a: MatrixState, b: MatrixState): boolean =>
  a.caseIndex === b.caseIndex && a.contestant === b.contestant && a.top === b.top && a.left === b.left

const clamp = (value: number, high: number): number => Math.max(0, Math.min(value, high))

const moveRow = (order: RowOrder, matrix: MatrixState, by: number): MatrixState => {
  const position = Math.max(0, order.positions[matrix.caseIndex] ?? 0)
  const row = clamp(position + by, order.rows.length - 1)
  return { ...matrix, caseIndex: order.rows[row] ?? matrix.caseIndex }
}

const moveColumn = (order: RowOrder, matrix: MatrixState, by: number): MatrixState => {
  const column = clamp(order.columns.indexOf(matrix.contestant) + by, order.columns.length - 1)
  return { ...matrix, contestant: order.columns[column] ?? matrix.contestant }
}

const hasProblem = (run: OpenRun, caseIndex: number, contestant: number): boolean => {
  const start = cellIndex(run.model, caseIndex, contestant, 1)
  for (let index = start; index < start + run.model.trials; index++) {
    if (isProblem(run.model.states[index] ?? 0)) return true
  }
  return false
}

/** The next cell in reading order that failed, going round at the end; null when there is none. */
export const findProblem = (run: OpenRun, order: RowOrder, matrix: MatrixState, step: 1 | -1): MatrixState | null => {
  const width = order.columns.length
  const total = order.rows.length * width
  const row = Math.max(0, order.positions[matrix.caseIndex] ?? 0)
  const start = row * width + Math.max(0, order.columns.indexOf(matrix.contestant))
  for (let moved = 1; moved <= total; moved++) {
    const at = (start + step * moved + total * 2) % total
    const caseIndex = order.rows[Math.floor(at / width)] ?? 0
    const contestant = order.columns[at % width] ?? 0
    if (hasProblem(run, caseIndex, contestant)) return { ...matrix, caseIndex, contestant }
  }
  return null
}

const nextSort = (sort: MatrixState["sort"]): MatrixState["sort"] =>
  sortOrders[(sortOrders.indexOf(sort) + 1) % sortOrders.length] ?? "file"

/** One action in the matrix; null = the matrix has nothing to do with it. */
export const moveMatrix = (
  action: Action,
  run: OpenRun,
  order: RowOrder,
  matrix: MatrixState,
  pane: Pane
): MatrixState | null => {
  const page = Math.max(1, gridLayout(run.model, order.columns, pane).rows - 1)
  switch (action) {
    case "up":
      return moveRow(order, matrix, -1)
    case "down":
      return moveRow(order, matrix, 1)
    case "left":
      return moveColumn(order, matrix, -1)
    case "right":
      return moveColumn(order, matrix, 1)
    case "pageUp":
      return moveRow(order, matrix, -page)
    case "pageDown":
      return moveRow(order, matrix, page)
    case "first":
      return moveRow(order, matrix, -order.rows.length)
    case "last":
      return moveRow(order, matrix, order.rows.length)
    case "sort":
      return { ...matrix, sort: nextSort(matrix.sort) }
    default:
      return null
  }
}
