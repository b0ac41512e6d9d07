/** The whole screen as lines: exactly as many as the terminal has rows, each exactly as wide as it has columns. */
import { type AppState, currentScreen, type Screen, type Toast, type World } from "../state/AppState.ts"
import { displayText } from "../terminal/DisplayText.ts"
import { fitBlock, fitLine, type Line, line, segment } from "../terminal/Line.ts"
import { wrapText } from "../terminal/TextWidth.ts"
import { caseDocument } from "./CaseDocument.ts"
import { cellDocument } from "./CellDocument.ts"
import { compareDocument } from "./CompareDocument.ts"
import { contestantDocument } from "./ContestantDocument.ts"
import { withDialog } from "./Dialog.ts"
import { type Document, documentLines, visibleRows } from "./Document.ts"
import { footer } from "./Footer.ts"
import { helpDocument } from "./Help.ts"
import { minimumSize, type Size } from "./Layout.ts"
import { liveBody } from "./LiveScreen.ts"
import { resultDocument } from "./ResultDocument.ts"
import { runsDocument } from "./RunsDocument.ts"
import { startDocument } from "./StartDocument.ts"
import { scrollTo } from "./Text.ts"

const tooSmall = ({ width, height }: Size, running: boolean): ReadonlyArray<Line> => {
  const texts = [
    "Terminal too small",
    `${width}×${height}, needs ${minimumSize.width}×${minimumSize.height}`,
    ...(running ? ["The run goes on."] : [])
  ]
  const top = Math.max(0, Math.floor((height - texts.length) / 2))
  const words = texts.map((text, index) => line(text, index === 0 ? "warning" : "muted"))
  return [...Array.from({ length: top }, () => []), ...words]
}

const gone: Document = { title: [], body: [line(" This run is not open.", "muted")] }

/** The screens that are documents, with the row that they are scrolled to. */
const documentOf = (state: AppState, screen: Screen, world: World): readonly [Document, number] => {
  const { width } = state.size
  switch (screen._tag) {
    case "Start": {
      const document = startDocument(screen, world, width)
      const rows = visibleRows(document, state.size)
      return [document, scrollTo(Math.max(0, document.cursor - rows + 2), document.cursor, rows, document.body.length)]
    }
    case "Runs": {
      const document = runsDocument(screen, world, width)
      const rows = visibleRows(document, state.size)
      return [document, scrollTo(0, screen.row, rows, document.body.length)]
    }
    case "Compare": {
      const [before, after] = [world.run(screen.runs[0]), world.run(screen.runs[1])]
      if (before === undefined || after === undefined) return [gone, 0]
      return [compareDocument(before, after, width), screen.scroll]
    }
    case "Live":
      return [gone, 0]
  }
  const run = world.run(screen.run)
  if (run === undefined) return [gone, 0]
  switch (screen._tag) {
    case "Cell":
      return [cellDocument(run, screen, width), screen.scroll]
    case "Case":
      return [caseDocument(run, screen, width), screen.scroll]
    case "Contestant":
      return [contestantDocument(run, screen, width), screen.scroll]
    case "Result":
      return [resultDocument(run, screen, width), screen.scroll]
  }
}

const body = (state: AppState, screen: Screen, world: World): ReadonlyArray<Line> => {
  if (state.overlay?._tag === "Help") return documentLines(helpDocument(state, world), state.overlay.scroll, state.size)
  if (screen._tag === "Live") {
    const run = world.run(screen.run)
    return run === undefined ? [] : liveBody(state, screen, run, world)
  }
  const [document, scroll] = documentOf(state, screen, world)
  return documentLines(document, scroll, state.size)
}

/** Rows that something to say may take: it names a file, and what to do about it. */
const mostSaid = 4

/** What there is to say, on as many rows as it needs. */
const said = ({ level, text }: Toast, width: number): ReadonlyArray<Line> => {
  const role = level === "info" ? "accent" : level
  const lines = wrapText(displayText(text), width - 2)
  const whole = lines.length <= mostSaid
  const shown = whole ? lines : [...lines.slice(0, mostSaid - 1), lines.slice(mostSaid - 1).join(" ")]
  return shown.map((one) => fitLine([segment(" "), segment(one, role)], width))
}

/** The last lines: what is being typed, what there is to say, else the keys. */
const bottom = (state: AppState, screen: Screen, world: World): ReadonlyArray<Line> => {
  const { width } = state.size
  if (state.overlay?._tag === "Filter" && screen._tag === "Live") {
    const hint = "   tag:x status:fail contestant:x"
    const typed: Line = [
      segment(" /", "key"),
      segment(screen.matrix.filter, "strong"),
      segment("▏", "accent"),
      segment(hint, "muted")
    ]
    return [fitLine(typed, width)]
  }
  const { toast } = state
  if (toast !== null && toast.until > world.now && state.overlay === null) {
    return said(toast, width)
  }
  return [footer(state, world)]
}

export const frame = (state: AppState, world: World): ReadonlyArray<Line> => {
  const { width, height } = state.size
  if (width < minimumSize.width || height < minimumSize.height) {
    return fitBlock(tooSmall(state.size, state.liveRun !== null), width, height)
  }
  const screen = currentScreen(state)
  const upper = withDialog(fitBlock(body(state, screen, world), width, height - 1), state, world)
  const lower = bottom(state, screen, world)
  return fitBlock([...upper.slice(0, height - lower.length), ...lower], width, height)
}
