/** The history of a project's runs. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunsScreen, World } from "../state/AppState.ts"
import { displayText } from "../terminal/DisplayText.ts"
import { duration, integer, plural, unknown, usd } from "../terminal/Format.ts"
import { fitLine, type Line, line, segment, selectLine } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { type Document, prose } from "./Document.ts"

const statusRole: Readonly<Record<RunRecord["status"], Role>> = {
  running: "running",
  completed: "pass",
  partial: "warning",
  aborted: "warning",
  failed: "fail"
}

/** The status with the reason where they differ. */
export const statusText = (record: RunRecord): string => {
  const { status, stopReason } = record
  return stopReason === null || stopReason === status ? status : `${status} (${stopReason})`
}

/** `2026-09-02 10:15` in UTC, as the run's id says it. */
export const startText = (record: RunRecord): string => record.startedAt.slice(0, 16).replace("T", " ")

const winnerText = (record: RunRecord): string =>
  record.winner ?? (record.status === "completed" ? "unresolved" : unknown)

interface Column {
  readonly head: string
  readonly width: number
  /** Columns with a higher number go first where there is no room. */
  readonly priority: number
  readonly text: (record: RunRecord) => string
  readonly role: (record: RunRecord) => Role
}

const column = (
  head: string,
  width: number,
  priority: number,
  text: Column["text"],
  role: Column["role"] = () => "plain"
): Column => ({ head, width, priority, text, role })

const columns: ReadonlyArray<Column> = [
  column("started (UTC)", 18, 0, startText),
  column("status", 24, 1, statusText, (record) => statusRole[record.status]),
  column("cells", 14, 3, ({ counts }) => `${integer(counts.finished)}/${integer(counts.planned)}`),
  column("winner", 26, 2, winnerText, (record) => (record.winner === null ? "muted" : "strong")),
  column("cost", 10, 4, (record) => usd(record.totalCostUsd)),
  column(
    "took",
    9,
    5,
    (record) => duration(record.durationMs),
    () => "muted"
  ),
  column(
    "run",
    28,
    6,
    (record) => record.label ?? record.runId,
    () => "faint"
  )
]

/** Where there is room for little, the day and how it ended matter most. */
const narrowColumns: ReadonlyArray<Column> = [
  column("started", 13, 0, (record) => startText(record).slice(5)),
  column("status", 23, 0, statusText, (record) => statusRole[record.status])
]

/** The columns that fit, in their order. */
const fitting = (width: number): ReadonlyArray<Column> => {
  if (width < 48) return narrowColumns
  let room = width - 3
  const kept = new Set<Column>()
  for (const one of columns.toSorted((a, b) => a.priority - b.priority)) {
    if (one.width > room && kept.size > 0) break
    kept.add(one)
    room -= one.width
  }
  return columns.filter((one) => kept.has(one))
}

const recordLine = (record: RunRecord, shown: ReadonlyArray<Column>, marked: boolean, width: number): Line =>
  fitLine(
    [
      segment(marked ? " ◆ " : "   ", "accent"),
      ...shown.map((one) => segment(`${fitText(displayText(one.text(record)), one.width - 1)} `, one.role(record)))
    ],
    width
  )

/** The whole reason: it says which file is meant, and what to do. */
const problemLines = (problem: string, stale: boolean, width: number): ReadonlyArray<Line> => [
  line(
    stale ? " The runs could not be read again; this is what was there before." : " The runs cannot be read.",
    "error"
  ),
  ...prose(problem, width, "muted").slice(0, stale ? 3 : undefined),
  []
]

export const runsDocument = (screen: RunsScreen, world: World, width: number): Document => {
  const inner = width - 1
  const { history, historyProblem } = world
  const count = history === null ? "" : `  ${plural(history.length, "run")}`
  const shown = fitting(inner)
  const title: ReadonlyArray<Line> = [
    [segment(" History", "title"), segment(count, "muted")],
    line(`   ${shown.map(({ head, width: own }) => fitText(head, own)).join("")}`, "muted")
  ]
  const problem = historyProblem === null ? [] : problemLines(historyProblem, history !== null, inner)
  if (history === null) return { title, body: problem.length > 0 ? problem : [line(" Reading…", "muted")] }
  if (history.length === 0) return { title, body: [...problem, line(" This project has no runs yet.", "muted")] }
  const body = history.map((record, index) => {
    const own = recordLine(record, shown, screen.marked.includes(record.runId), inner)
    return index === screen.row ? selectLine(own, inner) : own
  })
  return { title: [...problem, ...title], body }
}
