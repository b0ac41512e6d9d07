/** The cell under the cursor at a glance, beside the matrix: what it answered and why it scored so. */
import { baseState, isFinished, Running, stateGlyph, stateRole, stateWord } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, stateOf, worthwhileTrial } from "../run/RunModel.ts"
import type { MatrixState } from "../state/AppState.ts"
import { latency, score, usd } from "../terminal/Format.ts"
import { fitBlock, type Line, line, segment } from "../terminal/Line.ts"
import { prose, readable } from "./Document.ts"
import type { Pane } from "./Layout.ts"
import { joined, paneTitle } from "./Text.ts"

const trialOf = (run: OpenRun, matrix: MatrixState): number =>
  worthwhileTrial(run.model, matrix.caseIndex, matrix.contestant)

/** The cell that the preview speaks of: a failed trial if there is one. */
export const previewCell = (run: OpenRun, matrix: MatrixState): number =>
  cellIndex(run.model, matrix.caseIndex, matrix.contestant, trialOf(run, matrix))

/** Much is cut here anyway. */
const shownCharacters = 2000

const text = (value: unknown): string => readable(value).slice(0, shownCharacters)

const labelled = (name: string, value: string, width: number, role: "plain" | "error"): ReadonlyArray<Line> =>
  value === "" ? [] : [line(` ${name}`, "accent"), ...prose(value, width, role)]

const resultLines = (run: OpenRun, matrix: MatrixState, width: number): ReadonlyArray<Line> => {
  const cell = previewCell(run, matrix)
  const state = stateOf(run.model, cell)
  const head: Line = [segment(` ${stateGlyph(state)} ${stateWord(state)}`, stateRole(state))]
  if (!isFinished(state)) return [head, ...(baseState(state) === Running ? [] : [line(" No answer yet.", "muted")])]
  const loaded = run.results.get(cell)
  const result = loaded?._tag === "Ready" ? loaded.result : null
  if (result === null) return [head]
  const figures = [score(result.score), latency(result.latencyMs), usd(result.costUsd)]
  const first = joined([head, ...figures.map((figure): Line => [segment(figure)])], segment("  "))
  const expected = run.source.testCase(run.model.caseIds[matrix.caseIndex] ?? "")?.reference
  return [
    first,
    ...labelled("error", text(result.error?.message ?? ""), width, "error"),
    ...labelled("output", text(result.output ?? ""), width, "plain"),
    ...labelled("expected", expected === undefined ? "" : text(expected), width, "plain"),
    ...(result.reason === "" ? [] : prose(text(result.reason), width, "muted"))
  ]
}

export const preview = (run: OpenRun, matrix: MatrixState, pane: Pane): ReadonlyArray<Line> => {
  const { model } = run
  const trial = model.trials > 1 ? ` · trial ${trialOf(run, matrix)} of ${model.trials}` : ""
  const name = model.caseNames[matrix.caseIndex] ?? ""
  const title = paneTitle(name, `${model.contestants[matrix.contestant]?.label ?? ""}${trial}`, pane.width, false)
  return fitBlock([title, ...resultLines(run, matrix, pane.width)], pane.width, pane.height)
}
