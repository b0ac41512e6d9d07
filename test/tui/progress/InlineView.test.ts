import { appendGap } from "@agent-arena/tui/src/app/run/EventLog.ts"
import { makeOpenRun, type OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { asciiLine } from "@agent-arena/tui/src/app/terminal/Ascii.ts"
import { lineText, lineWidth } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { inlineView } from "@agent-arena/tui/src/progress/InlineView.ts"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import stringWidth from "string-width"
import type { SimulationOptions } from "../app/simulation/SimulatedRun.ts"
import { hostile } from "../app/simulation/Texts.ts"
import { openRun, shape } from "../app/state/Fixtures.ts"

const shown = (run: OpenRun, width: number, height: number, now = run.model.lastAt): ReadonlyArray<string> =>
  inlineView(run, now, { width, height }).map(lineText)

const half = openRun(shape, 0.5)

/** The same run with names that a hostile provider might have chosen. */
const renamed = (options: SimulationOptions, share: number): OpenRun => {
  const run = openRun(options, share)
  const { rules } = run.source.facts
  const contestants = rules.contestants.map((one, index) => ({ ...one, label: hostile[index % hostile.length] ?? "" }))
  const named = makeOpenRun({
    ...run.source,
    facts: { ...run.source.facts, rules: { ...rules, contestants } }
  })
  named.leaderboard =
    run.leaderboard === null
      ? null
      : {
          ...run.leaderboard,
          entries: run.leaderboard.entries.map((entry, index) => ({
            ...entry,
            label: hostile[index % hostile.length] ?? "",
            failures: hostile
          }))
        }
  return named
}

describe("the inline view", () => {
  it("shows how far the run is and how everybody does, on a large terminal", () => {
    const lines = shown(half, 300, 100)
    assert.match(
      lines[0] ?? "",
      /^ █+▓*▒+░*─+ {2}298\/600 50% {2}ETA 6s {2}\$0\.30 \/ \$5\.00 {2}● 7 in flight {2}! 1 error {2}↻ 4 retries {2}50\/s$/
    )
    assert.match(lines[1] ?? "", /^ {4}provisional +score +done +cost$/)
    assert.lengthOf(lines, 6)
    for (const line of lines.slice(2)) assert.match(line, /\d+\/150 +\$0\.\d+ {2}✓ \d+/)
    assert.match(lines[2] ?? "", /^ {2}1 /)
  })

  it("keeps to what matters on a small one", () => {
    const lines = shown(half, 40, 12)
    assert.match(lines.join("\n"), /298\/600 50%/)
    assert.match(lines.join("\n"), /ETA 6s/)
    assert.include(lines.join("\n"), "haiku-fast")
    assert.isAtMost(lines.length, 8)
    assert.lengthOf(shown(half, 40, 5), 1)
    assert.match(shown(half, 40, 5)[0] ?? "", /^ 298\/600 50% {2}\d+\/s {2}ETA 6s/)
  })

  it("says how many contestants it leaves out", () => {
    const many = openRun({ ...shape, contestants: 30, cases: 5 }, 0.5)
    const lines = shown(many, 80, 24)
    assert.isAtMost(lines.length, 12)
    assert.strictEqual(lines.at(-1), "    … 23 more")
  })

  it("says how the run goes on: paused, stopping, waiting for a rate limit, within a budget", () => {
    const run = openRun(shape, 0.5)
    run.model.phase = "stopping"
    assert.match(shown(run, 100, 30)[0] ?? "", /▾ stopping/)
    assert.notInclude(shown(run, 100, 30)[0] ?? "", "ETA")
    run.model.phase = "running"
    run.model.rateLimitedUntil = run.model.lastAt + 4000
    assert.match(shown(run, 200, 30).join("\n"), /rate limit 4s/)
  })

  it("says when events came too fast to be followed", () => {
    const run = openRun(shape, 0.5)
    assert.notInclude(shown(run, 100, 30).join("\n"), "too fast")
    appendGap(run.model.log, run.model.lastAt, run.model.lastAt, 0)
    assert.include(shown(run, 100, 30).join("\n"), "too fast to follow one by one; counts are exact")
  })

  it("claims nothing before anything is known", () => {
    const lines = shown(openRun(shape, 0), 100, 30)
    assert.match(lines[0] ?? "", /^ ─+ {2}0\/600 0% {2}ETA — {2}— \/ \$5\.00$/)
    for (const line of lines.slice(2)) assert.match(line, / — .* 0\/150 +—/)
  })

  it("is never as wide as the terminal nor as high, and holds nothing that could control it", () => {
    const runs = [0, 0.01, 0.5, 1].flatMap((share) =>
      [1, 4, 30].map((contestants) => renamed({ ...shape, contestants, cases: 10 }, share))
    )
    const size = fc.record({ width: fc.integer({ min: 2, max: 300 }), height: fc.integer({ min: 1, max: 100 }) })
    fc.assert(
      fc.property(fc.nat(runs.length - 1), size, fc.nat(1e6), fc.nat(1e6), (index, { height, width }, later, gap) => {
        const run = runs[index] ?? half
        if (gap % 2 === 0) appendGap(run.model.log, 0, 1, gap)
        run.model.retries = gap
        run.model.phase = (["running", "paused", "stopping"] as const)[gap % 3] ?? "running"
        run.model.rateLimitedUntil = gap * 1e7
        const lines = inlineView(run, run.model.lastAt + later, { width, height })
        assert.isAtMost(lines.length, Math.max(2, height - 4))
        for (const line of lines) {
          assert.isBelow(lineWidth(line), width)
          assert.isBelow(stringWidth(lineText(line)), width)
          assert.notMatch(lineText(line), /[\p{Cc}\p{Bidi_Control}\u200b-\u200d]/u)
          assert.match(lineText(asciiLine(line)), /^[ -~]*$/)
        }
      }),
      { numRuns: 400 }
    )
  })
})
