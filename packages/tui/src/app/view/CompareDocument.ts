/** Two runs side by side: verdicts, scores and what changed, the earlier run first. */
import type { LeaderboardEntry } from "@agent-arena/core/domain/Leaderboard"
import { columnFormat } from "@agent-arena/core/report/Figures"
import { changedCases, sharedCases } from "../run/CompareRuns.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { integer, plural, score, unknown } from "../terminal/Format.ts"
import { type Line, line, type Segment, segment, spread } from "../terminal/Line.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { type Document, prose, section } from "./Document.ts"

/** A difference of two shares, in thousandths or in percentage points. */
const change = (before: number | null, after: number | null, unit: "score" | "points"): Segment => {
  if (before === null || after === null) return segment(fitText("", 10))
  const delta = after - before
  const size = unit === "score" ? delta.toFixed(3) : `${(delta * 100).toFixed(1)} pt`
  const text = `${delta >= 0 ? "+" : ""}${size}`
  return segment(fitText(text, 10, "right"), Math.abs(delta) < 0.0005 ? "muted" : delta > 0 ? "pass" : "fail")
}

const row = (label: string, before: LeaderboardEntry | undefined, after: LeaderboardEntry | undefined): Line => {
  const accuracy = columnFormat("0-1")
  const raw = (entry: LeaderboardEntry | undefined, metric: string) => entry?.metrics[metric]?.raw ?? null
  return [
    segment(` ${fitText(label, 22)}`),
    segment(fitText(score(before?.composite ?? null), 8, "right"), "muted"),
    segment(fitText(score(after?.composite ?? null), 8, "right"), "strong"),
    change(before?.composite ?? null, after?.composite ?? null, "score"),
    segment(fitText(accuracy(raw(before, "accuracy")), 10, "right"), "muted"),
    segment(fitText(accuracy(raw(after, "accuracy")), 10, "right")),
    change(raw(before, "accuracy"), raw(after, "accuracy"), "points")
  ]
}

const table = (before: OpenRun, after: OpenRun): ReadonlyArray<Line> => {
  const entries = new Map<string, [LeaderboardEntry | undefined, LeaderboardEntry | undefined]>()
  for (const entry of after.leaderboard?.entries ?? []) entries.set(entry.key, [undefined, entry])
  for (const entry of before.leaderboard?.entries ?? []) entries.set(entry.key, [entry, entries.get(entry.key)?.[1]])
  const head = ` ${fitText("contestant", 22)}${fitText("score", 8, "right")}${fitText("then", 8, "right")}${fitText("change", 10, "right")}${fitText("accuracy", 10, "right")}${fitText("then", 10, "right")}${fitText("change", 10, "right")}`
  return [line(head, "muted"), ...[...entries].map(([key, [was, is]]) => row(is?.label ?? was?.label ?? key, was, is))]
}

/** Scores over other cases are no measure of change: said where the runs were not about the same. */
const caseNote = (before: OpenRun, after: OpenRun, width: number): ReadonlyArray<Line> => {
  const { both, onlyAfter, onlyBefore } = sharedCases(before.model, after.model)
  if (onlyBefore + onlyAfter === 0) return []
  const words =
    both === 0
      ? "The runs have no case in common, so these scores do not tell what changed."
      : `${plural(both, "case")} in both, ${integer(onlyBefore)} only before, ${integer(onlyAfter)} only then: these scores are of all of them.`
  return prose(words, width, "warning")
}

const maxChanges = 200

const changes = (before: OpenRun, after: OpenRun): ReadonlyArray<Line> => {
  const found = changedCases(before.model, after.model)
  if (found.length === 0) {
    const none = sharedCases(before.model, after.model).both === 0
    return [line(none ? " There is no case in both runs." : " No shared case changed its score.", "muted")]
  }
  const worse = found.filter((one) => one.after < one.before).length
  const head = line(` ${integer(worse)} worse, ${integer(found.length - worse)} better`, "strong")
  const rows = found.slice(0, maxChanges).map((one): Line => {
    const up = one.after > one.before
    return [
      segment(up ? " ↑ " : " ↓ ", up ? "pass" : "fail"),
      segment(`${score(one.before)} → ${score(one.after)}  `),
      segment(`${one.contestant} › ${one.caseId}`, "muted")
    ]
  })
  return [head, ...rows]
}

export const compareDocument = (before: OpenRun, after: OpenRun, width: number): Document => {
  const inner = width - 1
  const name = (run: OpenRun) => run.model.id
  const verdict = (run: OpenRun) => run.leaderboard?.verdict.sentence ?? unknown
  const left: Line = [segment(` ${name(before)}`, "title"), segment(" then ", "muted"), segment(name(after), "title")]
  return {
    title: [spread(left, [], width), line("─".repeat(width), "rule")],
    body: [
      ...section("Verdict before", "", prose(verdict(before), inner), inner),
      ...section("Verdict then", "", prose(verdict(after), inner), inner),
      ...section("Scores", "", [...caseNote(before, after, inner), ...table(before, after)], inner),
      ...section("Cases that changed", "worst first", changes(before, after), inner)
    ]
  }
}
