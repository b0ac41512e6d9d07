import type { CallResult } from "@agent-arena/core/domain/CallResult"
import * as MarkdownReport from "@agent-arena/core/report/MarkdownReport"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { shown, tables } from "./gfm.ts"
import { hostileText } from "./hostile.ts"
import { caseId, entry, failed, key, leaderboard, metric, report, result, rules, run, wrong } from "./reports.ts"

const render = (fields: Parameters<typeof report>[0] = {}, results: ReadonlyArray<CallResult> = []) => {
  const input = report(fields)
  const { add, detail } = ReportDetail.make(input.rules)
  results.forEach(add)
  return MarkdownReport.render(ReportModel.make(input), {
    detail,
    scenarios: [],
    generatedAt: "2026-01-01T12:00:03.000Z",
    reproduce: "arena run projects/triage --seed 7"
  })
}

const tableUnder = (markdown: string, heading: string) => {
  const found = tables(markdown).find((table) => table.heading === heading)
  assert.isDefined(found, `no table under ${heading}`)
  return found
}

const headings = (markdown: string) =>
  markdown.split("\n").flatMap((line) => (line.startsWith("## ") ? [line.slice(3)] : []))

describe("MarkdownReport", () => {
  it("has its sections in order, the verdict first", () => {
    const results = [wrong("beta", "c1", 1, 0), failed("gamma", "c2", 1)]
    const notes = ["gamma failed often"]
    assert.deepStrictEqual(
      headings(render({ leaderboard: leaderboard(report().leaderboard.entries, { notes }) }, results)),
      [
        "Verdict",
        "Run",
        "Leaderboard",
        "Normalised contributions",
        "Not ranked",
        "Accuracy by tag",
        "Results by case",
        "Where contestants went wrong",
        "Failed calls",
        "Caveats",
        "Reproduce"
      ]
    )
  })

  it("says what the winner is not the best in", () => {
    const cheap = entry("beta", {
      rank: 2,
      composite: 0.7,
      metrics: { accuracy: metric(0.8), cost: metric(1, { direction: "min", unit: "USD/1k calls" }) }
    })
    assert.include(
      render({ leaderboard: leaderboard([entry("alpha"), cheap]) }),
      "It is not the best in cost (beta: $1.00)."
    )
  })

  it("shows contributions that add up to the composite, under the weights really used", () => {
    const redistributed = entry("alpha", {
      composite: 0.9,
      metrics: { accuracy: metric(0.9, { weight: 1 }), cost: metric(null, { weight: 0, unit: "USD/1k calls" }) }
    })
    const markdown = render({ leaderboard: leaderboard([redistributed, entry("beta", { rank: 2, composite: 0.8 })]) })
    for (const [name = "", ...rest] of tableUnder(markdown, "Normalised contributions").rows) {
      const sum = rest.slice(0, -1).reduce((total, cell) => total + Number(/= ([\d.]+)$/.exec(cell)?.[1] ?? 0), 0)
      assert.closeTo(sum, Number(rest.at(-1)), 0.0015, name)
    }
  })

  it("shows intervals, comparisons and the cases that separate the leader", () => {
    const markdown = render({
      leaderboard: leaderboard([entry("alpha"), entry("beta", { rank: 2 })], {
        comparisons: [
          {
            leader: key("alpha"),
            other: key("beta"),
            sharedCases: 3,
            composite: { point: 0.1, low: 0.02, high: 0.2, confidence: 0.95 },
            accuracy: null,
            wins: 2,
            losses: 0,
            ties: 1,
            pValue: 0.0004,
            separated: true,
            casesNeeded: null,
            discriminating: [{ caseId: caseId("c2"), delta: 1 }]
          }
        ]
      })
    })
    const [row = []] = tableUnder(markdown, "The leader against the others").rows
    assert.deepStrictEqual(row, [
      "alpha − beta",
      "+0.100",
      "+0.020 to +0.200",
      "< 0.001",
      "2 / 0 / 1",
      "separated",
      "—",
      "c2"
    ])
    assert.include(tableUnder(markdown, "Leaderboard").rows[0] ?? [], "0.700 to 0.900")
  })

  it("marks each case over all trials", () => {
    const markdown = render({}, [
      result("alpha", "c1", 1),
      result("alpha", "c1", 2),
      wrong("alpha", "c2", 1, 0),
      result("beta", "c1", 1),
      wrong("beta", "c1", 2, 0),
      result("beta", "c2", 1),
      failed("beta", "c2", 2),
      failed("gamma", "c1", 1)
    ])
    assert.deepStrictEqual(tableUnder(markdown, "Results by case").rows, [
      ["c1", "✓", "0.500", "ERR"],
      ["c2", "✗", "✓ + 1 ERR", "—"],
      ["c3", "—", "—", "—"]
    ])
  })

  it("of many cases shows those on which contestants differ most, and says how many there are", () => {
    const ids = Array.from({ length: 450 }, (_, index) => `case${index}`)
    const many = rules(["alpha", "beta"], { cases: ids.map((id) => ({ id: caseId(id), weight: 1, tags: [] })) })
    const results = ids.flatMap((id) => [
      result("alpha", id, 1),
      id === "case449" ? wrong("beta", id, 1, 0) : result("beta", id, 1)
    ])
    const markdown = render({ rules: many }, results)
    const { rows } = tableUnder(markdown, "Results by case")
    assert.strictEqual(rows.length, 200)
    assert.deepStrictEqual(rows[0], ["case449", "✓", "✗"])
    assert.include(markdown, "200 cases of 450")
  })

  it("says at the top that a run is partial", () => {
    const counts = { planned: 9, finished: 4, interrupted: 0, notStarted: 5, errored: 0, timedOut: 0 }
    const markdown = render({ run: run({ status: "aborted", stopReason: "deadline", counts }) })
    assert.match(markdown.split("\n\n")[2] ?? "", /^> \*\*PARTIAL RUN\.\*\* .*was told to end.*4 of 9 planned cells/)
  })

  it("shows any text as it is: no cell, row, heading, tag or link comes out of it", () => {
    fc.assert(
      fc.property(hostileText, hostileText, (name, output) => {
        const hostile = entry("gamma", {
          label: name,
          model: output,
          status: "disqualified",
          rank: null,
          failures: [output],
          warnings: [output]
        })
        const parts = leaderboard([entry("alpha"), hostile], { notes: [output] })
        const plainHeadings = headings(
          render(
            {
              leaderboard: leaderboard(
                [entry("alpha"), { ...hostile, label: "x", model: "x", failures: ["x"], warnings: ["x"] }],
                { notes: ["x"] }
              )
            },
            [wrong("beta", "c1", 1, 0, "x"), failed("beta", "c2", 1, "x")]
          )
        )
        const markdown = render({ description: output, leaderboard: parts }, [
          wrong("beta", "c1", 1, 0, output),
          failed("beta", "c2", 1, output)
        ])
        assert.deepStrictEqual(headings(markdown), plainHeadings)
        for (const { columns, heading, rows } of tables(markdown)) {
          for (const row of rows) assert.strictEqual(row.length, columns.length, heading)
        }
        assert.notMatch(markdown, /<\w|<\/|[^\\]`|https?:\/\//)
        const row = tableUnder(markdown, "Leaderboard").rows[1] ?? []
        assert.strictEqual(shown(row[1] ?? ""), sanitiseLine(name))
        assert.strictEqual(shown(row[2] ?? ""), sanitiseLine(output))
      })
    )
  })
})
