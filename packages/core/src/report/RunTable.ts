/** Runs as a list, for people. */
import type { RunRecord } from "../domain/Run.ts"
import { count, spend, unknown } from "./Figures.ts"
import { type Layout, lines, type TextCell, type TextColumn } from "./TextTable.ts"

const columns: ReadonlyArray<TextColumn> = [
  { heading: "run" },
  { heading: "started (UTC)", drop: 3 },
  { heading: "status" },
  { heading: "finished", align: "right" },
  { heading: "contestants", align: "right", drop: 4 },
  { heading: "cases", align: "right", drop: 4 },
  { heading: "winner", min: 6, drop: 1 },
  { heading: "spend", align: "right", drop: 2 },
  { heading: "label", min: 6, drop: 5 }
]

const status = (run: RunRecord): string =>
  run.stopReason === null || run.stopReason === run.status ? run.status : `${run.status} (${run.stopReason})`

/** `2026-01-01T12:00:00.000Z` to the minute. */
const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ")

const row = (run: RunRecord, { style }: Layout): ReadonlyArray<TextCell> => [
  run.runId,
  { text: minute(run.startedAt), emphasis: style.dim },
  { text: status(run), emphasis: run.status === "completed" ? style.good : style.warn },
  `${count(run.counts.finished)}/${count(run.counts.planned)}`,
  count(run.contestants),
  count(run.cases),
  run.winner ?? unknown,
  spend(run.totalCostUsd),
  run.label ?? ""
]

/** A line a run, in the order given, ending with a line feed. */
export const render = (runs: ReadonlyArray<RunRecord>, layout: Layout): string =>
  `${lines(
    columns,
    runs.map((run) => row(run, layout)),
    layout
  ).join("\n")}\n`
