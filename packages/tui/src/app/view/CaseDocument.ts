/** One case, all contestants side by side. */
import { stateGlyph, stateRole, stateWord } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, stateOf } from "../run/RunModel.ts"
import type { CaseScreen } from "../state/AppState.ts"
import { latency, score, usd } from "../terminal/Format.ts"
import { fitBlock, fitLine, type Line, line, type Segment, segment, selectLine, spread } from "../terminal/Line.ts"
import { type Document, prose, readable, section } from "./Document.ts"
import { scrollTo } from "./Text.ts"

/** An answer needs this much to be read. */
const columnWidth = 32

const titleLines = (run: OpenRun, screen: CaseScreen, width: number): ReadonlyArray<Line> => {
  const { model } = run
  const tags = (model.caseTags[screen.caseIndex] ?? []).join(" ")
  const left: Line = [segment(` ${model.caseNames[screen.caseIndex] ?? ""}`, "title"), segment(`  ${tags}`, "muted")]
  const trial = model.trials > 1 ? `trial ${screen.trial} of ${model.trials} ` : ""
  return [spread(left, [segment(trial, "muted")], width), line("─".repeat(width), "rule")]
}

const trialGlyphs = (run: OpenRun, screen: CaseScreen, contestant: number): ReadonlyArray<Segment> =>
  Array.from({ length: Math.min(run.model.trials, 20) }, (_, index) => {
    const state = stateOf(run.model, cellIndex(run.model, screen.caseIndex, contestant, index + 1))
    return segment(stateGlyph(state), stateRole(state))
  })

/** One contestant's answer as a column of lines. */
const answer = (run: OpenRun, screen: CaseScreen, contestant: number, width: number): ReadonlyArray<Line> => {
  const { model } = run
  const cell = cellIndex(model, screen.caseIndex, contestant, screen.trial)
  const state = stateOf(model, cell)
  const chosen = contestant === screen.contestant
  const label = fitLine([segment(` ${model.contestants[contestant]?.label ?? ""}`, chosen ? "title" : "strong")], width)
  const loaded = run.results.get(cell)
  const result = loaded?._tag === "Ready" ? loaded.result : null
  const figures =
    result === null ? "" : `  ${score(result.score)}  ${latency(result.latencyMs)}  ${usd(result.costUsd)}`
  const head: Line = [segment(` ${stateGlyph(state)} ${stateWord(state)}`, stateRole(state)), segment(figures, "muted")]
  const trials: ReadonlyArray<Line> = model.trials > 1 ? [[segment(" "), ...trialGlyphs(run, screen, contestant)]] : []
  const text = result?.error?.message ?? result?.output ?? ""
  const body = prose(text, width, result?.error === null ? "plain" : "error")
  const reason = result === null || result.reason === "" ? [] : [[], ...prose(result.reason, width, "muted")]
  return [chosen ? selectLine(label, width) : label, head, ...trials, [], ...body, ...reason]
}

const sideBySide = (columns: ReadonlyArray<ReadonlyArray<Line>>, width: number): ReadonlyArray<Line> => {
  const height = Math.max(0, ...columns.map((column) => column.length))
  const blocks = columns.map((column) => fitBlock(column, width, height))
  return Array.from({ length: height }, (_, row) =>
    blocks.flatMap((block, index) => [...(index === 0 ? [] : [segment("│", "rule")]), ...(block[row] ?? [])])
  )
}

export const caseDocument = (run: OpenRun, screen: CaseScreen, width: number): Document => {
  const inner = width - 1
  const total = run.model.contestants.length
  const shown = Math.max(1, Math.min(total, Math.floor(inner / columnWidth)))
  const column = Math.floor((inner - (shown - 1)) / shown)
  const left = scrollTo(0, screen.contestant, shown, total)
  const answers = Array.from({ length: shown }, (_, index) => answer(run, screen, left + index, column))
  const testCase = run.source.testCase(run.model.caseIds[screen.caseIndex] ?? "")
  const prompt = testCase === null ? [] : testCase.messages.flatMap(({ content }) => prose(readable(content), inner))
  const expected = testCase?.reference === undefined ? [] : prose(readable(testCase.reference), inner)
  const more = shown < total ? `${left + 1}–${left + shown} of ${total}` : ""
  return {
    title: titleLines(run, screen, width),
    body: [
      ...section("Request", "", prompt, inner),
      ...section("Expected", "", expected, inner),
      ...section("Answers", more, sideBySide(answers, column), inner)
    ]
  }
}
