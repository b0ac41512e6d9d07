/** Boxes over the screen: questions and the palette. */

import { Running } from "../run/CellState.ts"
import { finishedCells } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellAt, countOf } from "../run/RunModel.ts"
import type { AppState, Question, World } from "../state/AppState.ts"
import { bindingsIn } from "../state/Keymap.ts"
import { paletteEntries } from "../state/Palette.ts"
import { duration, plural, usd } from "../terminal/Format.ts"
import { dropLine, fitLine, type Line, line, lineWidth, segment, selectLine, takeLine } from "../terminal/Line.ts"
import { fitText, wrapText } from "../terminal/TextWidth.ts"
import { keyText } from "./Help.ts"
import { joined } from "./Text.ts"

interface Box {
  readonly title: string
  readonly body: ReadonlyArray<Line>
}

/** What stopping keeps, in numbers as they are now. */
const stopTexts = (run: OpenRun): ReadonlyArray<string> => {
  const { model, source } = run
  const done = finishedCells(model.total)
  const flying = countOf(model.total, Running)
  const left = Math.max(0, model.planned - done - flying)
  const { drainMs } = source.facts
  const patience = drainMs > 0 ? ` for up to ${duration(drainMs)}` : ""
  return [
    `${plural(done, "finished cell")} ${done === 1 ? "is" : "are"} kept.`,
    `${plural(flying, "cell")} in flight may finish${patience} and ${flying === 1 ? "is" : "are"} kept as well.`,
    `${plural(left, "cell")} will not be started; the run can be resumed later.`
  ]
}

const stopNowTexts = (run: OpenRun): ReadonlyArray<string> => {
  const flying = countOf(run.model.total, Running)
  return [
    `The run is stopping already; ${plural(flying, "cell")} may still finish.`,
    "Stopping now interrupts them: what they cost so far is spent, their answers are lost.",
    `${plural(finishedCells(run.model.total), "finished cell")} are kept.`
  ]
}

const retryTexts = (run: OpenRun | undefined, cell: number): ReadonlyArray<string> => {
  if (run === undefined) return []
  const { model } = run
  const { caseIndex, contestant, trial } = cellAt(model, cell)
  const name = `${model.contestants[contestant]?.key ?? ""} › ${model.caseNames[caseIndex] ?? ""}`
  const which = model.trials > 1 ? `${name}, trial ${trial},` : name
  const open = model.planned - finishedCells(model.total)
  return [
    `${which} is asked and paid for again; the new outcome takes the place of this one.`,
    open > 0
      ? `The run goes on with it, and with ${plural(open, "cell")} that it had not finished; every other answer is kept.`
      : "Every other answer is kept."
  ]
}

const questionBox = (question: Question, world: World, width: number): Box => {
  if (question._tag === "Spend") {
    const text = `The run is expected to cost about ${usd(question.estimateUsd)}, more than the ${usd(question.limitUsd)} that may be spent without asking.`
    return { title: "Start?", body: wrapText(text, width).map((one) => line(one)) }
  }
  const run = world.run(question.run)
  if (question._tag === "Retry") {
    return {
      title: "Ask this cell again?",
      body: retryTexts(run, question.cell).flatMap((text) => wrapText(text, width).map((one) => line(one)))
    }
  }
  const texts = run === undefined ? [] : question._tag === "Stop" ? stopTexts(run) : stopNowTexts(run)
  return {
    title: question._tag === "Stop" ? "Stop the run?" : "Stop now?",
    body: texts.flatMap((text) => wrapText(text, width).map((one) => line(one)))
  }
}

/** The keys of a question, on as many lines as they need. */
const answerLines = (width: number): ReadonlyArray<Line> => {
  const answers = bindingsIn(["confirm"]).map(
    (binding): Line => [segment(keyText(binding.keys[0] ?? ""), "key"), segment(` ${binding.title}`, "muted")]
  )
  const all = joined(answers, segment("   "))
  return lineWidth(all) <= width ? [all] : answers
}

const paletteBox = (state: AppState, world: World, width: number, height: number): Box => {
  const { query, row } = state.overlay?._tag === "Palette" ? state.overlay : { query: "", row: 0 }
  const entries = paletteEntries(state, world, query)
  const visible = Math.max(1, height - 2)
  const top = Math.max(0, row - visible + 1)
  const rows = entries.slice(top, top + visible).map((binding, index): Line => {
    const own: Line = [
      segment(fitText(binding.title, width - 12)),
      segment(fitText(keyText(binding.keys[0] ?? ""), 12, "right"), "muted")
    ]
    return index + top === row ? selectLine(own, width) : own
  })
  const field: Line = [segment(": ", "key"), segment(query, "strong"), segment("▏", "accent")]
  return {
    title: "Actions",
    body: [field, [], ...(rows.length === 0 ? [line("Nothing of that name.", "muted")] : rows)]
  }
}

const framed = (box: Box, width: number): ReadonlyArray<Line> => {
  const inner = width - 4
  const head = fitText(` ${box.title} `, Math.min(inner, box.title.length + 2))
  const rest = Math.max(0, width - 3 - lineWidth([segment(head)]))
  return [
    [segment("╭─", "accent"), segment(head, "title"), segment(`${"─".repeat(rest)}╮`, "accent")],
    ...box.body.map((of): Line => [segment("│ ", "accent"), ...fitLine(of, inner), segment(" │", "accent")]),
    [segment(`╰${"─".repeat(width - 2)}╯`, "accent")]
  ]
}

/** Puts a block over the middle of the frame. */
const over = (
  frame: ReadonlyArray<Line>,
  block: ReadonlyArray<Line>,
  width: number,
  boxWidth: number
): ReadonlyArray<Line> => {
  const top = Math.max(0, Math.floor((frame.length - block.length) / 2))
  const left = Math.max(0, Math.floor((width - boxWidth) / 2))
  return frame.map((of, row) => {
    const own = block[row - top]
    if (own === undefined) return of
    return [...takeLine(fitLine(of, width), left), ...own, ...dropLine(fitLine(of, width), left + boxWidth)]
  })
}

/** The frame with the open dialog over it. */
export const withDialog = (frame: ReadonlyArray<Line>, state: AppState, world: World): ReadonlyArray<Line> => {
  const { overlay, size } = state
  const boxWidth = Math.min(size.width - 2, 72)
  const inner = boxWidth - 4
  if (overlay?._tag === "Confirm") {
    const box = questionBox(overlay.question, world, inner)
    return over(
      frame,
      framed({ ...box, body: [...box.body, [], ...answerLines(inner)] }, boxWidth),
      size.width,
      boxWidth
    )
  }
  if (overlay?._tag === "Palette") {
    const height = Math.min(size.height - 4, 18)
    return over(frame, framed(paletteBox(state, world, inner, height), boxWidth), size.width, boxWidth)
  }
  return frame
}
