/** The matrix: a row for each case, a column for each contestant, a glyph for each trial. Only what shows is built. */
import {
  baseState,
  type CellState,
  isFinished,
  Partial,
  Pass,
  Queued,
  Running,
  stateGlyph,
  stateRole
} from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { type RowOrder, sortLabel } from "../run/RowOrder.ts"
import { cellIndex, type RunModel } from "../run/RunModel.ts"
import type { MatrixState } from "../state/AppState.ts"
import { integer } from "../terminal/Format.ts"
import { fitBlock, type Line, line, type Segment, segment } from "../terminal/Line.ts"
import { asBold, asSelected, type Style, styleOf } from "../terminal/Style.ts"
import { cutMiddle, fitText, textWidth } from "../terminal/TextWidth.ts"
import { fractionWidth, type GridLayout, gridLayout } from "./GridLayout.ts"
import type { Pane } from "./Layout.ts"
import { paneTitle } from "./Text.ts"

/** One state that stands for several trials: running first, then what all share, else partial. */
const summary = (model: RunModel, start: number): CellState => {
  const first = model.states[start] ?? Queued
  let same = true
  let passed = false
  for (let index = start; index < start + model.trials; index++) {
    const state = model.states[index] ?? Queued
    if (baseState(state) === Running) return Running
    if (state !== first) same = false
    if (baseState(state) === Pass || baseState(state) === Partial) passed = true
  }
  if (same) return first
  if (passed) return Partial
  for (let index = start; index < start + model.trials; index++) {
    const state = model.states[index] ?? Queued
    if (isFinished(state)) return state
  }
  return first
}

/** How many of the trials from `start` on have passed, and how many have an outcome. */
const counted = (model: RunModel, start: number): { readonly passed: number; readonly finished: number } => {
  let passed = 0
  let finished = 0
  for (let index = start; index < start + model.trials; index++) {
    const state = model.states[index] ?? Queued
    if (baseState(state) === Pass) passed += 1
    if (isFinished(state)) finished += 1
  }
  return { passed, finished }
}

const fractionOf = (model: RunModel, start: number): readonly [string, Style] => {
  const { finished, passed } = counted(model, start)
  const state = summary(model, start)
  if (finished === 0) return [stateGlyph(state), styleOf(stateRole(state))]
  return [`${passed}/${finished}`, styleOf(passed === finished ? "pass" : passed === 0 ? stateRole(state) : "partial")]
}

/** Passed, failed and open trials as a bar: what a fraction means at a glance. */
const outcomeBar = (model: RunModel, start: number, width: number): ReadonlyArray<Segment> => {
  const { finished, passed } = counted(model, start)
  const end = Math.ceil((finished / model.trials) * width)
  // A failure is never rounded away.
  const good = passed === finished ? end : Math.min(end - 1, Math.round((passed / model.trials) * width))
  return [
    segment("█".repeat(Math.max(0, good)), "pass"),
    segment("▒".repeat(end - Math.max(0, good)), "fail"),
    segment("─".repeat(width - end), "faint")
  ]
}

const trialGlyphs = (model: RunModel, start: number, selected: boolean): Array<Segment> => {
  const out: Array<Segment> = []
  let text = ""
  let style = -1
  for (let index = start; index < start + model.trials; index++) {
    const state = model.states[index] ?? Queued
    const role = styleOf(stateRole(state))
    const own = selected ? asSelected(asBold(role)) : role
    if (own !== style && text !== "") {
      out.push(segment(text, style))
      text = ""
    }
    style = own
    text += stateGlyph(state)
  }
  if (text !== "") out.push(segment(text, style))
  return out
}

const cellSegments = (
  model: RunModel,
  start: number,
  layout: GridLayout,
  selected: boolean
): ReadonlyArray<Segment> => {
  const mark = (style: Style) => (selected ? asSelected(asBold(style)) : style)
  if (layout.form === "trials") {
    const glyphs = trialGlyphs(model, start, selected)
    const padding = layout.cell - model.trials
    return padding > 0 ? [...glyphs, segment(" ".repeat(padding), mark(0))] : glyphs
  }
  const state = summary(model, start)
  const [text, style] =
    layout.form === "fraction" ? fractionOf(model, start) : [stateGlyph(state), styleOf(stateRole(state))]
  const room = layout.cell - fractionWidth(model.trials) - 1
  if (layout.form === "glyph" || room < 4) return [segment(fitText(text, layout.cell), mark(style))]
  const label = segment(`${fitText(text, layout.cell - room)}`, mark(style))
  return [label, ...outcomeBar(model, start, room).map((part) => ({ ...part, style: mark(part.style) }))]
}

interface GridView {
  readonly model: RunModel
  readonly order: RowOrder
  readonly layout: GridLayout
  readonly matrix: MatrixState
  readonly columns: ReadonlyArray<number>
  readonly focused: boolean
}

/** Length of the beginning that all names share up to a separator: what tells nothing where room is short. */
const sharedPrefix = (names: ReadonlyArray<string>): number => {
  const [first = "", ...others] = names
  if (others.length === 0) return 0
  let length = 0
  while (length < first.length && others.every((name) => name[length] === first[length])) length += 1
  return first.slice(0, length).search(/[^-_ ./:]*$/)
}

const headLine = (view: GridView): Line => {
  const { model, layout } = view
  const labels = model.contestants.map(({ label }) => label)
  const shared = labels.some((label) => textWidth(label) > layout.cell) ? sharedPrefix(labels) : 0
  const cells = view.columns.flatMap((column) => {
    const label = (model.contestants[column]?.label ?? "").slice(shared)
    const chosen = column === view.matrix.contestant
    return [segment(" "), segment(fitText(label, layout.cell), chosen && view.focused ? "accent" : "muted")]
  })
  return [segment(` ${fitText("case", layout.label)}`, "muted"), ...cells]
}

const rowLine = (view: GridView, caseIndex: number): Line => {
  const { model, layout, matrix } = view
  const current = caseIndex === matrix.caseIndex
  const chosen = current && view.focused
  const name = fitText(cutMiddle(model.caseNames[caseIndex] ?? "", layout.label), layout.label)
  const out: Array<Segment> = [
    segment(chosen ? "▸" : " ", "accent"),
    segment(name, chosen ? asBold(styleOf("plain")) : "plain")
  ]
  for (const column of view.columns) {
    out.push(segment(" "))
    const start = cellIndex(model, caseIndex, column, 1)
    out.push(...cellSegments(model, start, layout, chosen && column === matrix.contestant))
  }
  return out
}

/** A bar at the right edge: where the window stands in the whole. */
const withScrollbar = (lines: ReadonlyArray<Line>, top: number, total: number): ReadonlyArray<Line> => {
  const height = lines.length
  if (total <= height || height === 0) return lines
  const size = Math.max(1, Math.round((height / total) * height))
  const start = Math.round((top / (total - height)) * (height - size))
  return lines.map((of, row) => [
    ...of,
    segment(row >= start && row < start + size ? "┃" : "│", row >= start && row < start + size ? "muted" : "rule")
  ])
}

const detail = (view: GridView): string => {
  const { order, matrix, layout, model } = view
  const total = order.rows.length
  const last = Math.min(total, matrix.top + layout.rows)
  const range = total === 0 ? "no case" : `${integer(matrix.top + 1)}–${integer(last)} of ${integer(total)}`
  const hidden = order.columns.length - view.columns.length
  return [
    range,
    total < model.caseIds.length ? `(${integer(model.caseIds.length)} in all)` : "",
    matrix.sort === "file" ? "" : `· ${sortLabel[matrix.sort]}`,
    order.filter.unknown.length === 0 ? "" : `· not understood: ${order.filter.unknown.join(" ")}`,
    matrix.filter === "" ? "" : `· /${matrix.filter}`,
    hidden > 0 ? `· ${hidden} more columns →` : ""
  ]
    .filter((part) => part !== "")
    .join(" ")
}

export const grid = (
  run: OpenRun,
  order: RowOrder,
  matrix: MatrixState,
  pane: Pane,
  focused: boolean
): ReadonlyArray<Line> => {
  const layout = gridLayout(run.model, order.columns, pane)
  const columns = order.columns.slice(matrix.left, matrix.left + layout.shown)
  const view: GridView = { model: run.model, order, layout, matrix, columns, focused }
  const rows = Array.from(order.rows.subarray(matrix.top, matrix.top + layout.rows), (row) => rowLine(view, row))
  const body = rows.length === 0 ? [line(" Nothing matches the filter.", "muted")] : rows
  const title = paneTitle("Matrix", detail(view), pane.width, focused)
  const filled = fitBlock(body, pane.width - 1, layout.rows)
  return fitBlock(
    [title, headLine(view), ...withScrollbar(filled, matrix.top, order.rows.length)],
    pane.width,
    pane.height
  )
}
