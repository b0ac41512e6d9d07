/** What stays on the normal screen after leaving: how the run ended, its verdict, and its exit code. */
import { finishedCells } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { asciiLine } from "../terminal/Ascii.ts"
import { duration, integer, usd } from "../terminal/Format.ts"
import { type Line, line, lineText, lineWidth, segment } from "../terminal/Line.ts"
import { wrapText } from "../terminal/TextWidth.ts"
import type { Theme } from "../terminal/Theme.ts"
import { prose } from "../view/Document.ts"
import { leaderboardLines } from "../view/Leaderboard.ts"
import { standings } from "../view/LeaderboardRows.ts"

/**
 * Exit code of a run, as `arena run` has it: 0 completed, 1 failed, 3 ended early by its own rules or because it was asked
 * to, 124 and 130 told to end by the system. 130 also when nobody waited for the end.
 */
export const exitCodeOf = (run: OpenRun | null): number => {
  if (run === null) return 0
  const { ending } = run.model
  if (ending === null || ending.stopReason === "interrupted") return 130
  if (ending.stopReason === "deadline") return 124
  if (ending.status === "completed") return 0
  return ending.status === "partial" ? 3 : 1
}

export const farewellLines = (run: OpenRun, width: number): ReadonlyArray<Line> => {
  const { model } = run
  const { ending } = model
  const how = ending === null ? "left while it was ending" : ending.status
  const why = ending === null || ending.stopReason === ending.status ? "" : ` (${ending.stopReason})`
  const took = duration((model.finishedAt ?? model.lastAt) - model.startedAt)
  const cost = model.total.priced === 0 ? "" : `, ${usd(model.total.costUsd)}`
  const head: Line = [
    segment(model.project, "title"),
    segment(
      ` ${how}${why}: ${integer(finishedCells(model.total))} of ${integer(model.planned)} cells in ${took}${cost}`
    )
  ]
  const board = leaderboardLines(standings(run), Math.min(width, 120), null)
  const verdict = run.leaderboard === null ? [] : prose(run.leaderboard.verdict.sentence, width, "strong")
  // A reason may be a whole sentence about a file: it is broken between words.
  const wrapped = lineWidth(head) <= width ? [head] : wrapText(lineText(head), width).map((text) => line(text))
  return [...wrapped, ...board, ...verdict, line(`run ${model.id}`, "muted")]
}

/** The lines as text for a normal screen. */
export const farewellText = (lines: ReadonlyArray<Line>, theme: Theme, ascii: boolean): string =>
  lines
    .map((of) => (ascii ? asciiLine(of) : of))
    .map((of) =>
      theme.depth === "none" ? lineText(of) : `${of.map((part) => theme.sgr(part.style) + part.text).join("")}\u001b[0m`
    )
    .map((text) => `${text.trimEnd()}\n`)
    .join("")
