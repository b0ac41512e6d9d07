/** The history of a project's runs. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunsScreen, World } from "../state/AppState.ts"
import { duration, integer, unknown, usd } from "../terminal/Format.ts"
import { fitLine, type Line, line, segment, selectLine } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import { fitText } from "../terminal/TextWidth.ts"
import type { Document } from "./Document.ts"

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

const recordLine = (record: RunRecord, marked: boolean, width: number): Line => {
  const cells = `${integer(record.counts.finished)}/${integer(record.counts.planned)}`
  const parts: ReadonlyArray<readonly [string, number, Role]> = [
    [startText(record), 18, "plain"],
    [statusText(record), 24, statusRole[record.status]],
    [cells, 14, "plain"],
    [winnerText(record), 26, record.winner === null ? "muted" : "strong"],
    [usd(record.totalCostUsd), 10, "plain"],
    [duration(record.durationMs), 9, "muted"],
    [record.label ?? record.runId, 28, "faint"]
  ]
  return fitLine(
    [
      segment(marked ? " ◆ " : "   ", "accent"),
      ...parts.map(([text, columns, role]) => segment(fitText(text, columns), role))
    ],
    width
  )
}

const heads: ReadonlyArray<readonly [string, number]> = [
  ["started (UTC)", 18],
  ["status", 24],
  ["cells", 14],
  ["winner", 26],
  ["cost", 10],
  ["took", 9],
  ["run", 28]
]

export const runsDocument = (screen: RunsScreen, world: World, width: number): Document => {
  const inner = width - 1
  const { history } = world
  const count = history === null ? "" : `  ${integer(history.length)} runs`
  const title: ReadonlyArray<Line> = [
    [segment(" History", "title"), segment(count, "muted")],
    line(`   ${heads.map(([name, columns]) => fitText(name, columns)).join("")}`, "muted")
  ]
  if (history === null) return { title, body: [line(" Reading…", "muted")] }
  if (history.length === 0) return { title, body: [line(" This project has no runs yet.", "muted")] }
  const body = history.map((record, index) => {
    const own = recordLine(record, screen.marked.includes(record.runId), inner)
    return index === screen.row ? selectLine(own, inner) : own
  })
  return { title, body }
}
