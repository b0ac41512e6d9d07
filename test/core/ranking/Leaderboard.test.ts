import { Leaderboard as LeaderboardSchema } from "@agent-arena/core/domain/Leaderboard"
import { collect } from "@agent-arena/core/ranking/Leaderboard"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { boardOf, cellsOf, rulesOf } from "./matrix.ts"

const rules = rulesOf({ contestants: ["a", "b", { key: "c", skipped: "no key" }], cases: 30, trials: 2 })
const cells = [
  ...cellsOf(rules, "a", () => ({ score: 1, latencyMs: 5, costUsd: 0.001 })),
  ...cellsOf(rules, "b", (index) => (index === 3 ? { error: "boom" } : { score: index % 2, latencyMs: 5 }))
]
const decodeBoard = Schema.decodeUnknownEffect(LeaderboardSchema, { errors: "all", onExcessProperty: "error" })

describe("Leaderboard.collect", () => {
  it.effect("ranks a stream of results as it would rank the results", () =>
    Effect.gen(function* () {
      const board = yield* collect(rules)(Stream.fromIterable(cells))
      assert.deepStrictEqual(board, boardOf(rules, cells))
      assert.isTrue(board.complete)
      assert.strictEqual(board.verdict._tag, "Winner")
    })
  )

  it.effect("sees that cells are missing, and declares no winner then", () =>
    Effect.gen(function* () {
      const board = yield* collect(rules)(Stream.fromIterable(cells.slice(1)))
      assert.isFalse(board.complete)
      assert.strictEqual(board.verdict._tag, "Unresolved")
    })
  )

  it.effect("passes on what the stream fails with", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(collect(rules)(Stream.fail("the store is gone" as const)))
      assert.strictEqual(failure, "the store is gone")
    })
  )

  it.effect("starts afresh each time it is run", () =>
    Effect.gen(function* () {
      const once = collect(rules)(Stream.fromIterable(cells))
      assert.deepStrictEqual(yield* once, yield* once)
    })
  )

  it.effect("gives a board that survives being written and read", () =>
    Effect.gen(function* () {
      const board = yield* collect(rules)(Stream.fromIterable(cells))
      const read = yield* decodeBoard(JSON.parse(JSON.stringify(board)))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(board)))
    })
  )
})
