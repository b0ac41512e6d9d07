import { RunId } from "@agent-arena/core/domain/Ids"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { RunShelf } from "@agent-arena/core/store/RunShelf"
import { compareWithPast } from "@agent-arena/tui/src/actions/watch/compare.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { completedFooter, headerOf, resultOf, rulesOf } from "../../../core/store/ExampleRun.ts"

const rules = rulesOf(["a"], ["one", "two", "three"])
const watching = { threshold: 0.05, statistics: { resamples: 100, confidence: 0.95, seed: 1 } }

const completed = (id: string, startedAt: string) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const header = headerOf(id, rules, { record: { startedAt } })
    const writer = yield* store.begin(header)
    for (const testCase of ["one", "two", "three"]) yield* writer.write(resultOf("a", testCase))
    yield* writer.finish(completedFooter(header))
  }).pipe(Effect.scoped)

const baselineOf = Effect.fnUntraced(function* (id: string) {
  const store = yield* ResultStore
  const stores = { store, reuse: yield* ResultReuse, shelf: yield* RunShelf }
  const run = yield* store.run(RunId.make(id))
  const leaderboard = yield* store.leaderboard(RunId.make(id))
  if (run === null || leaderboard === null) return assert.fail("no run")
  const report = { run, leaderboard, rules, description: "", problems: [] }
  const [drift] = yield* compareWithPast(stores, report, 5, watching)
  return (drift?.baselineRuns ?? []).map(String)
})

describe("what a run is held against", () => {
  it.effect("are the runs begun before it, also when the clock was set back in between", () =>
    Effect.gen(function* () {
      yield* completed("first", "2026-03-01T10:00:00.000Z")
      yield* completed("second", "2026-03-01T09:00:00.000Z")
      yield* completed("third", "2026-03-01T09:30:00.000Z")
      assert.deepStrictEqual(yield* baselineOf("first"), [])
      assert.deepStrictEqual(yield* baselineOf("second"), ["first"])
      assert.deepStrictEqual(yield* baselineOf("third"), ["second", "first"])
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})
