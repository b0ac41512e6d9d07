/** Which part of a run came from when. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { count, plural } from "@agent-arena/core/report/Figures"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { type Layout, lines } from "@agent-arena/core/report/TextTable"
import type { RunSegment } from "@agent-arena/core/store/RunSegments"

const kinds: Readonly<Record<RunSegment["kind"], string>> = { start: "started", resume: "resumed", reuse: "taken over" }

const origin = ({ kind, sourceRunId, status, stopReason }: RunSegment): string => {
  if (kind === "reuse") return `from ${sourceRunId ?? "another run"}`
  if (status === null) return "its process died"
  return stopReason === null || stopReason === status ? status : `${status} (${stopReason})`
}

/** `2026-01-01T12:00:00.000Z` to the second. */
const second = (iso: string): string => iso.slice(0, 19).replace("T", " ")

/**
 * A sentence and a line for each part; nothing for a run that was done in one go. `known` = outcomes that there were
 * before the last part; null = not known.
 */
export const renderParts = (
  run: RunRecord,
  parts: ReadonlyArray<RunSegment>,
  known: number | null,
  layout: Layout
): string => {
  const last = parts.reduce<RunSegment | null>(
    (found, part) => (part.segment > (found?.segment ?? 0) ? part : found),
    null
  )
  if (parts.length < 2 || last === null) return ""
  const total = run.counts.finished + run.counts.interrupted
  const kept = Math.max(0, total - last.results)
  const replaced = known === null ? 0 : Math.min(last.results, Math.max(0, known - kept))
  const again = replaced === 0 ? "" : `, ${count(replaced)} of them in place of earlier ones`
  const columns = [
    { heading: "since (UTC)" },
    { heading: "part" },
    { heading: "", min: 10 },
    { heading: "results", align: "right" as const }
  ]
  const rows = parts.map((part) => [
    second(part.startedAt),
    kinds[part.kind],
    sanitiseLine(origin(part)),
    String(part.results)
  ])
  return [
    "",
    `${plural(kept, "result")} of before kept, ${last.results} from the last part${again}`,
    ...lines(columns, rows, layout),
    ""
  ].join("\n")
}
