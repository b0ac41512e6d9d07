import { CaseId } from "@agent-arena/core/domain/Ids"
import { makeOpenRun, type OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { lineText } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { compareDocument } from "@agent-arena/tui/src/app/view/CompareDocument.ts"
import { describe, expect, it } from "@effect/vitest"
import { openRun, shape } from "../state/Fixtures.ts"

/** The same results for cases of other names. */
const renamed = (run: OpenRun): OpenRun => {
  const { facts } = run.source
  const cases = facts.rules.cases.map((one) => ({ ...one, id: CaseId.make(`${one.id}-other`) }))
  const other = makeOpenRun({ ...run.source, facts: { ...facts, rules: { ...facts.rules, cases } } })
  other.leaderboard = run.leaderboard
  return other
}

const text = (before: OpenRun, after: OpenRun): string =>
  compareDocument(before, after, 120).body.map(lineText).join("\n")

describe("two runs side by side", () => {
  const whole = openRun(shape, 1)

  it("say nothing of cases where they are the same", () => {
    expect(text(whole, whole)).not.toContain("only before")
    expect(text(whole, whole)).toContain("No shared case changed its score.")
  })

  it("say how many cases they share", () => {
    const part = openRun({ ...shape, cases: 10 }, 1)
    expect(text(whole, part)).toContain("10 cases in both, 40 only before, 0 only then")
    expect(text(part, whole)).toContain("10 cases in both, 0 only before, 40 only then")
  })

  it("claim no change where there is nothing to compare", () => {
    const compared = text(whole, renamed(whole))
    expect(compared).toContain("no case in common")
    expect(compared).toContain("There is no case in both runs.")
    expect(compared).not.toContain("No shared case changed")
  })
})
