import * as ConsoleReport from "@agent-arena/core/report/ConsoleReport"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import { ansi, plain } from "@agent-arena/core/report/Style"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hostileText } from "./hostile.ts"
import { entry, key, leaderboard, metric, report, rules, run } from "./reports.ts"

const render = (fields: Parameters<typeof report>[0] = {}, width: number | null = null) =>
  ConsoleReport.render(ReportModel.make(report(fields)), { width, style: plain })
const linesOf = (text: string) => text.trimEnd().split("\n")
const rowOf = (text: string, name: string) =>
  linesOf(text).find((line) => new RegExp(`(^|\\s)${name}\\s`).test(line)) ?? ""

describe("ConsoleReport", () => {
  it("says what was run first and the verdict last", () => {
    const lines = linesOf(render())
    assert.strictEqual(
      lines[0],
      "triage  3 contestants × 3 cases × 1 trial = 9 cells in 2.5 s  run_20260101_120000_abc123"
    )
    assert.strictEqual(lines.at(-1), "Verdict: alpha is ahead of all others.")
  })

  it("gives the id of the run a line of its own in a narrow terminal", () => {
    assert.deepStrictEqual(linesOf(render({}, 80)).slice(0, 2), [
      "triage  3 contestants × 3 cases × 1 trial = 9 cells in 2.5 s",
      "run_20260101_120000_abc123"
    ])
  })

  it("names a contestant by its key where the label has no room", () => {
    const named = leaderboard([entry("alpha", { label: "a label of many words that no column holds" })])
    assert.include(render({ leaderboard: named }), "a label of many words that no column holds (alpha)")
    assert.match(rowOf(render({ leaderboard: named }, 80), "alpha"), /^1 {2}alpha +/)
  })

  it("shows rank, composite with its interval, raw metrics and status of each contestant", () => {
    const row = rowOf(render(), "alpha")
      .trim()
      .split(/\s{2,}/)
    assert.deepStrictEqual(row, [
      "1",
      "alpha",
      "model-alpha",
      "0.800",
      "0.700 to 0.900",
      "90.0 %",
      "80.0 % to 100.0 %",
      "$2.50",
      "winner"
    ])
  })

  it("marks a disqualified contestant with its reasons and gives it no rank", () => {
    const text = render()
    assert.match(rowOf(text, "gamma"), /^\s+gamma .*—.*DISQUALIFIED$/)
    assert.include(text, "✗ gamma is disqualified: accuracy 50.0% is below 70.0%")
  })

  it("shows the digits that decided a disqualification", () => {
    const gamma = entry("gamma", {
      status: "disqualified",
      rank: null,
      composite: null,
      metrics: { accuracy: metric(0.69996) }
    })
    const text = render({
      leaderboard: leaderboard([entry("alpha"), gamma]),
      rules: rules(["alpha", "gamma"], { constraints: { ...rules([]).constraints, minAccuracy: 0.7 } })
    })
    assert.include(rowOf(text, "gamma"), "69.996 %")
  })

  it("shows the digits that decided between two neighbours, and those of the tie-breaker when it decided", () => {
    const close = leaderboard([entry("alpha", { composite: 0.81239 }), entry("beta", { rank: 2, composite: 0.81234 })])
    assert.match(render({ leaderboard: close }), /alpha .* 0\.8124 [\s\S]*beta .* 0\.8123 /)
    const tied = leaderboard([
      entry("alpha", { metrics: { accuracy: metric(0.90004) } }),
      entry("beta", { rank: 2, metrics: { accuracy: metric(0.90001) } })
    ])
    assert.match(render({ leaderboard: tied }), /alpha .* 90\.004 % [\s\S]*beta .* 90\.001 % /)
  })

  it("says loudly and first that a run is partial, why, and how much is missing", () => {
    const counts = { planned: 9, finished: 4, interrupted: 1, notStarted: 4, errored: 0, timedOut: 0 }
    const text = render({
      run: run({ status: "partial", stopReason: "budget", counts }),
      leaderboard: leaderboard([entry("alpha")], {
        complete: false,
        verdict: { _tag: "NoWinner", sentence: "A partial run has no winner." }
      })
    })
    assert.strictEqual(
      linesOf(text)[0],
      "PARTIAL RUN: The run ended early because the budget was reached; 4 of 9 planned cells have an outcome (1 interrupted, 4 not started)."
    )
    assert.notInclude(text, "winner ")
  })

  it("highlights nobody in a run that is not whole, whoever leads", () => {
    const unresolved = {
      _tag: "Unresolved",
      leading: [key("alpha")],
      margin: 0.1,
      remedy: "none",
      casesNeeded: null,
      sentence: "alpha is ahead, but the run did not finish its plan."
    } as const
    const shown = (status: "completed" | "partial") => {
      const entries = [entry("alpha"), entry("beta", { rank: 2 })]
      const board = leaderboard(entries, { complete: status === "completed", verdict: unresolved })
      const made = ReportModel.make(report({ run: run({ status }), leaderboard: board }))
      return ConsoleReport.render(made, { width: null, style: ansi })
    }
    assert.include(shown("completed"), ansi.accent("leading"))
    assert.notInclude(shown("partial"), ansi.accent("leading"))
    assert.match(shown("partial"), / leading\n/)
    const place = /^\W*[12]\W+(\[\d+m)?(Alpha|alpha|Beta|beta)/m
    assert.match(shown("completed"), place)
    assert.notMatch(shown("partial"), place)
  })

  it("names those that cannot be separated, and how far apart they are", () => {
    const text = render({
      leaderboard: leaderboard([entry("alpha"), entry("beta", { rank: 2 })], {
        verdict: {
          _tag: "Unresolved",
          leading: [key("alpha"), key("beta")],
          margin: 0.01,
          remedy: "cases",
          casesNeeded: 40,
          sentence: "alpha and beta are too close to call."
        },
        comparisons: [
          {
            leader: key("alpha"),
            other: key("beta"),
            sharedCases: 3,
            composite: { point: 0.01, low: -0.05, high: 0.07, confidence: 0.95 },
            accuracy: null,
            wins: 1,
            losses: 1,
            ties: 1,
            pValue: 0.4,
            separated: false,
            casesNeeded: 40,
            discriminating: []
          }
        ]
      })
    })
    assert.match(rowOf(text, "alpha"), /leading$/)
    assert.include(text, "alpha and beta are not separated: difference +0.010 (-0.050 to +0.070, 3 shared cases)")
    assert.strictEqual(linesOf(text).at(-1), "Verdict: alpha and beta are too close to call.")
  })

  it("shows an unknown cost as a dash and says how many calls have no price", () => {
    const unpriced = entry("beta", {
      rank: 2,
      metrics: { accuracy: metric(0.9), cost: metric(null) },
      stats: { ...entry("x").stats, totalCostUsd: null, costPricedCalls: 0 }
    })
    const text = render({ leaderboard: leaderboard([entry("alpha"), unpriced]) })
    assert.match(rowOf(text, "beta"), /90\.0 % .*—/)
    assert.include(text, "spend $0.0225, and 3 answers of unknown price")
  })

  it("has emphasis only when asked for", () => {
    const styled = ConsoleReport.render(ReportModel.make(report()), { width: null, style: ansi })
    assert.include(styled, "\u001b[31mDISQUALIFIED\u001b[39m")
    assert.notInclude(render(), "\u001b")
  })

  it("lets no foreign text act on the terminal or break a line", () => {
    fc.assert(
      fc.property(hostileText, hostileText, fc.integer({ min: 30, max: 120 }), (name, reason, width) => {
        const bad = entry("bad", {
          label: name,
          model: name,
          status: "no_data",
          rank: null,
          failures: [reason],
          warnings: [reason]
        })
        const text = render({ leaderboard: leaderboard([entry("alpha"), bad], { notes: [reason] }) }, width)
        assert.notMatch(text.replaceAll("\n", ""), /\p{Cc}|\p{Bidi_Control}/u)
      })
    )
  })
})
