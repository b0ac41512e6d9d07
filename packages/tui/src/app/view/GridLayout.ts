/** How the matrix fits into a pane: widths of its columns and how much a cell can tell. */
import type { RunModel } from "../run/RunModel.ts"
import { textWidth } from "../terminal/TextWidth.ts"
import type { Pane } from "./Layout.ts"

/** `trials`: a glyph for each trial; `fraction`: passed of finished; `glyph`: one that sums up. */
export type CellForm = "trials" | "fraction" | "glyph"

export interface GridLayout {
  readonly label: number
  /** Columns of one contestant, without the gap before it. */
  readonly cell: number
  readonly form: CellForm
  /** How many contestants fit. */
  readonly shown: number
  /** Case rows that fit under the title and the column heads. */
  readonly rows: number
}

const gap = 1
const longest = new WeakMap<RunModel, number>()

/** Widest case id, looked up once: a model's cases never change. */
const widestId = (model: RunModel): number => {
  const known = longest.get(model)
  if (known !== undefined) return known
  let width = 4
  for (const id of model.caseNames) width = Math.max(width, id.length <= width ? 0 : textWidth(id))
  longest.set(model, width)
  return width
}

/** Columns of `passed/finished`. */
export const fractionWidth = (trials: number): number => 2 * String(trials).length + 1

const formFor = (width: number, trials: number): CellForm =>
  trials === 1 || width >= trials ? "trials" : width >= fractionWidth(trials) ? "fraction" : "glyph"

/** Widest cell that helps: its label in full, or a glyph for each trial. */
const comfortable = (model: RunModel, columns: ReadonlyArray<number>): number => {
  const labels = columns.map((column) => textWidth(model.contestants[column]?.label ?? ""))
  // Many trials show as a fraction with a bar, which gains from some room.
  const own = model.trials <= 10 ? model.trials : fractionWidth(model.trials) + 13
  return Math.min(20, Math.max(own, ...labels))
}

export const gridLayout = (model: RunModel, columns: ReadonlyArray<number>, pane: Pane): GridLayout => {
  const label = Math.max(6, Math.min(widestId(model), Math.floor(pane.width * 0.34)))
  const room = pane.width - label - 2
  const share = Math.floor(room / Math.max(1, columns.length)) - gap
  const cell = Math.max(1, Math.min(share, comfortable(model, columns)))
  const shown = Math.max(1, Math.min(columns.length, Math.floor(room / (cell + gap))))
  return { label, cell, form: formFor(cell, model.trials), shown, rows: Math.max(0, pane.height - 2) }
}
