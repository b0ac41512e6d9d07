import type { ScoreValue } from "@agent-arena/core/scoring/ScoreReading"
import * as Scorer from "@agent-arena/core/scoring/Scorer"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { caseOf, cellOf, judge, problems } from "./judging.ts"

/** A scorer that returns something whatever its type says, as a file written in JavaScript may. */
const returning = (value: unknown) => Scorer.make("custom", () => value as ScoreValue)

describe("Scorer.make", () => {
  it.effect.each<[unknown, number | null, boolean | null]>([
    [0.75, 0.75, true],
    [0.25, 0.25, false],
    [0, 0, false],
    [true, 1, true],
    [false, 0, false],
    [{ score: 0.5 }, 0.5, true],
    [{ score: 0.9, passed: false }, 0.9, false],
    [{ passed: true }, 1, true],
    [{ score: true }, 1, true],
    [{ score: null }, null, null],
    [{ score: null, passed: null, reason: "later" }, null, null]
  ])("takes %j", ([value, score, passed]) =>
    Effect.map(judge(returning(value), "", undefined), (result) => {
      assert.strictEqual(result.score, score)
      assert.strictEqual(result.passed, passed)
    })
  )

  it.effect.each<[unknown, string]>([
    [Number.NaN, "must lie in 0..1; got NaN"],
    [1.0001, "must lie in 0..1; got 1.0001"],
    [-0.1, "must lie in 0..1"],
    [Number.POSITIVE_INFINITY, "must lie in 0..1; got Infinity"],
    [{ score: Number.NaN }, "must lie in 0..1"],
    [{ score: "0.8" }, 'got the text "0.8"'],
    [undefined, "got undefined"],
    ["1", "expected a number 0..1"],
    [null, "got null"],
    [[1], "got a list"],
    [{}, "neither score nor passed"],
    [{ score: null, passed: true }, "without a score cannot have passed"],
    [{ score: 1, pased: false }, 'did you mean "passed"?'],
    [{ score: 1, reason: 5 }, "reason must be text"],
    [{ score: 1, passed: "no" }, "passed must be true, false or null"],
    [{ score: 1, metrics: { words: Number.NaN } }, 'metric "words" must be a finite number'],
    [{ score: 1, metrics: [1] }, "metrics must map"],
    [{ score: 1, detail: { big: 1n } }, "cannot be written as JSON"],
    [{ score: 1, detail: "text" }, "detail must map"]
  ])("refuses %s", ([value, why]) =>
    Effect.map(Effect.flip(judge(returning(value), "", undefined)), (error) => {
      assert.strictEqual(error.scorer, "custom")
      assert.include(error.detail, why)
    })
  )

  it.effect("waits for promises and Effects", () =>
    Effect.gen(function* () {
      const later = Scorer.make("later", async (output) => output === "yes")
      const effect = Scorer.make("effect", (output) => Effect.succeed({ score: 1, metrics: { length: output.length } }))
      assert.strictEqual((yield* judge(later, "yes", undefined)).score, 1)
      assert.deepStrictEqual((yield* judge(effect, "yes", undefined)).metrics, { length: 3 })
    })
  )

  it.effect("turns every way of failing into an error with its name", () =>
    Effect.gen(function* () {
      const fail = (): ScoreValue => {
        throw new TypeError("broken")
      }
      const failing = [
        Scorer.make("custom", fail),
        Scorer.make("custom", () => Promise.reject(new Error("broken"))),
        Scorer.make("custom", () => Effect.fail(new Error("broken"))),
        Scorer.make("custom", () => Effect.die("broken")),
        Scorer.make("custom", () => Promise.resolve(Number.NaN))
      ]
      for (const scorer of failing) {
        const error = yield* Effect.flip(judge(scorer, "", undefined))
        assert.strictEqual(error.scorer, "custom")
        assert.match(error.message, /^scorer 'custom': .*(broken|0\.\.1)/)
      }
    })
  )

  it.effect("stays interruptible", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        judge(
          Scorer.make("stopped", () => Effect.interrupt),
          "",
          undefined
        )
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.effect("shows the function the answer, the reference, the options and the case", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const scorer = Scorer.make("seeing", (output, reference, { params, testCase, cell }) => {
        seen.push(output, reference, params["limit"], testCase.id, cell.trial)
        return true
      })
      yield* judge(scorer, "answer", "expected", { limit: 3 })
      assert.deepStrictEqual(seen, ["answer", "expected", 3, "case", 1])
    })
  )

  it.effect("keeps what its function needs in its type until it is provided", () => {
    class Dictionary extends Context.Service<Dictionary, ReadonlySet<string>>()("test/Dictionary") {}
    const known: Scorer.Scorer<Dictionary> = Scorer.make("known", (output) =>
      Effect.map(Dictionary, (words) => words.has(output))
    )
    const testCase = caseOf("known", undefined)
    const scored = known.score({ output: "cat", reference: undefined, params: {}, testCase, cell: cellOf() })
    return Effect.gen(function* () {
      assert.isTrue(Effect.isEffect(scored))
      if (!Effect.isEffect(scored)) return
      assert.strictEqual((yield* Effect.provideService(scored, Dictionary, new Set(["cat"]))).score, 1)
    })
  })

  it("checks cases by its own rules and its need of a reference", () => {
    const scorer = Scorer.make("strict", () => 1, {
      requiresReference: true,
      check: (_, params) => (params["limit"] === undefined ? ["no limit"] : [])
    })
    assert.deepStrictEqual(problems(scorer, undefined), ["the case has no reference", "no limit"])
    assert.deepStrictEqual(problems(scorer, "a", { limit: 1 }), [])
    const broken = Scorer.make("broken", () => 1, {
      check: () => {
        throw new Error("oops")
      }
    })
    assert.deepStrictEqual(problems(broken, "a"), ["its check failed: oops"])
  })

  it.effect("never throws and never leaves 0..1, whatever its function returns", () =>
    Effect.sync(() => {
      fc.assert(
        fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => {
          const exit = Effect.runSyncExit(judge(returning(value), "", undefined))
          if (Exit.isFailure(exit)) return assert.isFalse(Cause.hasDies(exit.cause))
          const { score } = exit.value
          return assert.isTrue(score === null || (score >= 0 && score <= 1))
        })
      )
    })
  )
})
