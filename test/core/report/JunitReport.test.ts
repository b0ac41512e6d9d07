import type { CallResult } from "@agent-arena/core/domain/CallResult"
import * as JunitReport from "@agent-arena/core/report/JunitReport"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { hostileText } from "./hostile.ts"
import { failed, report, result, rules, run, wrong } from "./reports.ts"
import { elements, parseXml } from "./xml.ts"

const render = (results: ReadonlyArray<CallResult>, fields: Parameters<typeof report>[0] = {}) =>
  Effect.map(JunitReport.render(report(fields), Stream.fromIterable(results)).pipe(Stream.mkString), parseXml)

describe("JunitReport", () => {
  it.effect("has a test a cell, and counts what failed, what broke and what says nothing", () =>
    Effect.gen(function* () {
      const xml = yield* render([
        result("alpha", "c1", 1),
        wrong("alpha", "c2", 1, 0),
        failed("beta", "c1", 1),
        { ...failed("beta", "c2", 1), stopReason: "run_stopped" },
        result("beta", "c3", 1, { score: null, passed: null })
      ])
      assert.deepInclude(xml.attributes, { tests: "5", failures: "1", errors: "1", skipped: "2" })
      const [first] = elements(xml, "testcase")
      assert.deepInclude(first?.attributes, { classname: "alpha", name: "c1 [1]", time: "0.101" })
      assert.strictEqual(elements(xml, "error")[0]?.attributes["message"], "connection refused")
    })
  )

  it.effect("shows contestants that were skipped, with the reason", () =>
    Effect.gen(function* () {
      const known = rules(["alpha", "beta"])
      const contestants = known.contestants.map((one) => (one.key === "beta" ? { ...one, skipped: "no key" } : one))
      const xml = yield* render([result("alpha", "c1", 1)], { rules: { ...known, contestants } })
      assert.deepInclude(xml.attributes, { tests: "2", skipped: "1" })
      assert.strictEqual(elements(xml, "skipped")[0]?.attributes["message"], "no key")
    })
  )

  it.effect("says no time of a run whose time is not known", () =>
    Effect.gen(function* () {
      const xml = yield* render([result("alpha", "c1", 1)], { run: run({ durationMs: null }) })
      assert.notProperty(xml.attributes, "time")
      assert.notProperty(elements(xml, "testsuite")[0]?.attributes, "time")
    })
  )

  it("stays well formed whatever the answers are, and gives them back", async () => {
    // White space in text is a reader's own affair.
    const squeeze = (value: string) => value.replace(/\s+/g, " ")
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const xml = await Effect.runPromise(render([wrong("alpha", "c1", 1, 0, text)]))
        assert.strictEqual(squeeze(elements(xml, "failure")[0]?.text ?? ""), squeeze(sanitise(text)))
      })
    )
  })

  it("is read by a parser that refuses what is not well formed", () => {
    fc.assert(
      fc.property(fc.constantFrom("<a>", "<a></b>", '<a x="<"/>', "<a>&</a>", "<a/><"), (bad) => {
        assert.throws(() => parseXml(bad))
      })
    )
  })
})
