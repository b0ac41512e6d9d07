import * as HtmlReport from "@agent-arena/core/report/HtmlReport"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hostileText } from "./hostile.ts"
import { entry, failed, leaderboard, report, result, run, wrong } from "./reports.ts"

const render = (fields: Parameters<typeof report>[0] = {}, output = "nonsense") => {
  const input = report(fields)
  const { add, detail } = ReportDetail.make(input.rules)
  for (const one of [result("alpha", "c1", 1), wrong("beta", "c1", 1, 0, output), failed("gamma", "c2", 1)]) add(one)
  return HtmlReport.render(ReportModel.make(input), { detail, scenarios: [], generatedAt: "2026-01-01T12:00:03.000Z" })
}

const tags = (html: string) => html.match(/<[^>]*>/g) ?? []

describe("HtmlReport", () => {
  it("is one page that loads nothing and runs nothing", () => {
    const html = render()
    assert.match(html, /^<!doctype html>\n<html lang="en">[\s\S]*<\/html>\n$/)
    assert.notMatch(html, /<script|<link|<img|src=|href=|url\(/i)
  })

  it("says the verdict before anything else, and that a run is partial before that", () => {
    const counts = { planned: 9, finished: 4, interrupted: 0, notStarted: 5, errored: 0, timedOut: 0 }
    const html = render({ run: run({ status: "partial", stopReason: "budget", counts }) })
    const at = (text: string) => html.indexOf(text)
    assert.isAbove(at("alpha is ahead of all others."), at("PARTIAL RUN"))
    assert.isAbove(at("<h2>Leaderboard"), at("alpha is ahead of all others."))
  })

  it("shows figures with intervals, reasons and marks", () => {
    const html = render()
    assert.include(html, '<td class="n">0.800<br><small>0.700 to 0.900</small></td>')
    assert.include(html, "accuracy 50.0% is below 70.0%")
    assert.match(html, /<tr><td>c1<\/td><td class="good">✓<\/td><td class="bad">✗<\/td>/)
  })

  it("calls right or wrong only what was so in every trial", () => {
    const input = report()
    const { add, detail } = ReportDetail.make(input.rules)
    add(result("alpha", "c1", 1, { score: 0.9995, passed: false }))
    add(result("beta", "c1", 1, { score: 0.0004, passed: false }))
    const html = HtmlReport.render(ReportModel.make(input), {
      detail,
      scenarios: [],
      generatedAt: "2026-01-01T12:00:03.000Z"
    })
    assert.notMatch(html, /<tr><td>c1<\/td>.*(✓|✗)/)
  })

  it("highlights nobody in a run that is not whole", () => {
    const html = render({ run: run({ status: "partial", stopReason: "budget" }) })
    assert.notInclude(html, '<td class="good">winner</td>')
    assert.include(render(), '<td class="good">winner</td>')
  })

  it("gets no markup from foreign text", () => {
    const expected = tags(render({ leaderboard: leaderboard([entry("alpha", { label: "x", warnings: ["x"] })]) }, "x"))
    fc.assert(
      fc.property(hostileText, (text) => {
        const alpha = entry("alpha", { label: text, model: text, warnings: [text] })
        assert.deepStrictEqual(tags(render({ leaderboard: leaderboard([alpha]) }, text)), expected)
      })
    )
  })
})
