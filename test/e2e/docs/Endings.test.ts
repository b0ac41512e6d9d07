/** The tables of docs/endings.md against the endings that there are. */
import { CellStopReason } from "@agent-arena/core/domain/CallResult"
import { ending, type StopRequest } from "@agent-arena/core/domain/Run"
import { exitCode } from "@agent-arena/tui/src/actions/run/gates.ts"
import { assert, describe, it } from "vitest"
import { report, run } from "../../core/report/reports.ts"
import { pages } from "./pages.ts"

const page = pages.find(({ path }) => path === "docs/endings.md")?.text ?? ""

/** The cells of the table under a heading. */
const rows = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, section = ""] = page.split(`\n## ${heading}\n`)
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim())
  )
}

const requests: ReadonlyArray<StopRequest> = [
  "budget",
  "time_limit",
  "cancelled",
  "interrupted",
  "deadline",
  "fail_fast",
  "error: it broke"
]

/** Status, reason and exit code of a run that was stopped for `request` (null = it was not) with so many outcomes. */
const told = (request: StopRequest | null, finished: number): ReadonlyArray<string> => {
  const ended = ending(request, finished)
  const code = exitCode(report({ run: run(ended) }), [])
  return [ended.status, ended.stopReason.replace(/:.*/, ""), String(code)]
}

describe("docs/endings.md", () => {
  it("lists every way in which a run can end, with its exit code", () => {
    assert.sameDeepMembers(
      rows("Runs").map((row) => row.slice(0, 3)),
      [told(null, 1), ...requests.map((request) => told(request, 1)), ...requests.map((request) => told(request, 0))]
    )
  })

  it("lists every way in which a cell can end", () => {
    assert.sameMembers(
      rows("Cells").map(([, reason]) => reason),
      [...CellStopReason.literals]
    )
  })
})
