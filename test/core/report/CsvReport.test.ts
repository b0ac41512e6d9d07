import * as CsvReport from "@agent-arena/core/report/CsvReport"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { hostileText } from "./hostile.ts"
import { failed, result, rules } from "./reports.ts"

const render = (results: ReadonlyArray<ReturnType<typeof result>>) =>
  CsvReport.render(rules(["alpha"]), Stream.fromIterable(results)).pipe(Stream.mkString)

describe("CsvReport", () => {
  it.effect("has a header and a row a result; what is unknown is empty", () =>
    Effect.gen(function* () {
      const text = yield* render([result("alpha", "c1", 1), failed("alpha", "c2", 1)])
      const [first, second, ...rest] = parse(text, { columns: true })
      assert.deepInclude(first, {
        model_key: "alpha",
        test_id: "c1",
        score: "1",
        passed: "true",
        cost_usd: "0.0025",
        tags: "easy",
        answered_from: "live"
      })
      assert.deepInclude(second, {
        status: "error",
        score: "",
        cost_usd: "",
        error: "connection refused",
        answered_from: ""
      })
      assert.deepStrictEqual(rest, [])
    })
  )

  it.effect("is a header alone when there are no results", () =>
    Effect.gen(function* () {
      assert.match(yield* render([]), /^model_key,.*\n$/)
    })
  )

  it("puts an apostrophe before whatever a spreadsheet would compute, but leaves numbers alone", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", " =1+1", "\t=1", "＝1"]) {
      assert.match(CsvReport.field(text), /^"?'/, JSON.stringify(text))
    }
    assert.strictEqual(CsvReport.field(-1.5), "-1.5")
    assert.strictEqual(CsvReport.field("a=b"), "a=b")
  })

  it("gives any text back through an independent parser, and none that is a formula", () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 1, maxLength: 4 }), (texts) => {
        const line = `${["x", ...texts].map(CsvReport.field).join(",")}\n`
        const [row = []]: Array<Array<string>> = parse(line)
        assert.strictEqual(row.length, texts.length + 1)
        texts.forEach((text, index) => {
          const cell = row[index + 1] ?? ""
          assert.notMatch(cell, /^[=+\-@]/)
          assert.include([sanitise(text), `'${sanitise(text)}`], cell)
        })
      })
    )
  })
})
