import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { arbitraryResult, arbitrarySoleScore } from "./ArbitraryResult.ts"
import { headerOf, resultOf, rulesOf } from "./ExampleRun.ts"

const nasty = [
  "plain",
  "with \ud800 lone surrogate",
  "with \0 NUL",
  "\u0001",
  '\u0001"x"',
  "ünïcödé 😀",
  "'; DROP TABLE runs; --"
]

/** Writes each result as the only trial of its own case, so that all of them stand side by side. */
const writeAndRead = (results: ReadonlyArray<CallResult>) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const cases = results.map(({ caseId }) => caseId)
    const contestants = [...new Set(results.map(({ contestant }) => contestant))]
    const header = headerOf("run_1", rulesOf(contestants, cases, 1_000_000))
    const writer = yield* store.begin(header)
    yield* Effect.forEach(results, writer.write, { concurrency: "unbounded", discard: true })
    return yield* Stream.runCollect(store.results(header.record.runId))
  }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))

describe("what is written", () => {
  it.effect("is read back exactly, whatever is in it", () =>
    Effect.gen(function* () {
      const samples = Array.from({ length: 300 }, (_, index) =>
        fc.sample((index % 2 === 0 ? arbitraryResult : arbitrarySoleScore)("a", `case ${index}`), 1)
      ).flat()
      const read = yield* writeAndRead(samples)
      assert.strictEqual(read.length, samples.length)
      for (const [index, sample] of samples.entries()) assert.deepStrictEqual(read[index], sample)
    })
  )

  it.effect("keeps names that SQLite's text cannot hold apart", () =>
    Effect.gen(function* () {
      const results = nasty.map((name) => resultOf(name, name))
      assert.deepStrictEqual(yield* writeAndRead(results), results)
    })
  )

  it.effect("takes a record that JSON cannot hold, with a note in its place", () =>
    Effect.gen(function* () {
      const cyclic: Record<string, unknown> = { name: "loop", big: 10n }
      cyclic["self"] = cyclic
      const throwing = {
        get danger() {
          throw new Error("do not touch")
        }
      }
      const [first, second] = yield* writeAndRead([
        resultOf("a", "one", 1, { trace: cyclic }),
        resultOf("a", "two", 1, { trace: throwing })
      ])
      assert.deepStrictEqual(first?.trace, { name: "loop", big: "10", self: "[circular]" })
      assert.strictEqual(second?.output, "a says two")
    })
  )
})
