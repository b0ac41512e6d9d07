import type { CallResult } from "@agent-arena/core/domain/CallResult"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { caseId, failed, result, rules, wrong } from "./reports.ts"

const gather = (results: ReadonlyArray<CallResult>, names = ["alpha", "beta"], cases = ["c1", "c2", "c3"]) => {
  const known = rules(names, { cases: cases.map((id) => ({ id: caseId(id), weight: 1, tags: [] })) })
  return ReportDetail.collect(known, Stream.fromIterable(results))
}

describe("ReportDetail", () => {
  it.effect("means graded trials and counts failed ones apart", () =>
    Effect.gen(function* () {
      const { mark } = yield* gather([result("alpha", "c1", 1), wrong("alpha", "c1", 2, 0.5), failed("alpha", "c1", 3)])
      assert.deepStrictEqual(mark(0, 0), { mean: 0.75, errors: 1, graded: 2 })
      assert.isNull(mark(1, 0))
    })
  )

  it.effect("keeps no score where a trial was not graded", () =>
    Effect.gen(function* () {
      const { mark } = yield* gather([result("alpha", "c1", 1, { score: null, passed: null })])
      assert.deepStrictEqual(mark(0, 0), { mean: null, errors: 0, graded: 0 })
    })
  )

  it.effect("leaves out cells that the end of the run interrupted", () =>
    Effect.gen(function* () {
      const { errors, mark } = yield* gather([{ ...failed("alpha", "c1", 1), stopReason: "run_stopped" }])
      assert.isNull(mark(0, 0))
      assert.deepStrictEqual(errors, [])
    })
  )

  it.effect("shows the worst trial of each contestant and case, the worst first, at most eight", () =>
    Effect.gen(function* () {
      const cases = Array.from({ length: 20 }, (_, index) => `c${index}`)
      const results = cases.flatMap((id, index) => [
        wrong("alpha", id, 1, 0.45 - index / 100),
        wrong("alpha", id, 2, 0.4 - index / 100)
      ])
      const { mistakes } = yield* gather(results, ["alpha"], cases)
      assert.deepStrictEqual(
        mistakes.map(({ result }) => `${result.caseId}/${result.trial}`),
        cases
          .toReversed()
          .slice(0, 8)
          .map((id) => `${id}/2`)
      )
    })
  )

  it.effect("keeps the first eight errors", () =>
    Effect.gen(function* () {
      const trials = Array.from({ length: 12 }, (_, index) => index + 1)
      const { errors } = yield* gather(trials.map((trial) => failed("alpha", "c1", trial)))
      assert.deepStrictEqual(
        errors.map(({ trial }) => trial),
        trials.slice(0, 8)
      )
    })
  )
})
