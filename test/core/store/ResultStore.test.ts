import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { CaseId, ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { completedFooter, errorOf, headerOf, interruptedOf, resultOf, rulesOf } from "./ExampleRun.ts"

const rules = rulesOf(["a", "b"], ["one", "two", "three"], 2)

const cellsOf = (results: Iterable<CallResult>) =>
  Array.from(results, ({ contestant, caseId, trial }) => `${caseId}/${contestant}/${trial}`)

const allCells = ["one", "two", "three"].flatMap((caseId) =>
  ["a", "b"].flatMap((contestant) => [1, 2].map((trial) => ({ contestant, caseId, trial })))
)

describe("ResultStore", () => {
  it.effect("tells a run from its beginning to its end", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules, { record: { label: "first try", gitSha: "abc1234" } })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* store.begin(header)
          yield* writer.heartbeat("2026-03-01T10:00:30.000Z")
          yield* writer.finish(completedFooter(header))
        })
      )
      const record = yield* store.run("latest")
      const footer = completedFooter(header)
      assert.deepStrictEqual(record, {
        ...header.record,
        status: "completed",
        stopReason: "completed",
        counts: footer.counts,
        finishedAt: footer.finishedAt,
        durationMs: footer.durationMs,
        totalCostUsd: 1.5,
        winner: "a",
        heartbeatAt: "2026-03-01T10:00:30.000Z"
      })
      assert.deepStrictEqual(yield* store.leaderboard(header.record.runId), footer.leaderboard)
      assert.deepStrictEqual(yield* store.header(header.record.runId), { rules, description: header.description })
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("knows nothing of a run that does not exist", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const id = RunId.make("run_none")
      assert.isNull(yield* store.run(id))
      assert.isNull(yield* store.run("latest"))
      assert.isNull(yield* store.header(id))
      assert.isNull(yield* store.leaderboard(id))
      assert.isNull(
        yield* store.result(id, { contestant: ContestantKey.make("a"), caseId: CaseId.make("one"), trial: 1 })
      )
      assert.deepStrictEqual(yield* Stream.runCollect(store.results(id)), [])
      assert.deepStrictEqual(yield* store.runs({}), [])
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("reads results in plan order, in whatever order they came", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      const shuffled = allCells.toSorted((a, b) => b.trial - a.trial || b.contestant.localeCompare(a.contestant))
      yield* Effect.forEach(shuffled, (cell) => writer.write(resultOf(cell.contestant, cell.caseId, cell.trial)), {
        concurrency: "unbounded"
      })
      const read = yield* Stream.runCollect(store.results(header.record.runId))
      assert.deepStrictEqual(
        cellsOf(read),
        allCells.map(({ contestant, caseId, trial }) => `${caseId}/${contestant}/${trial}`)
      )
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("reads every result once, however many pages they fill", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const cases = Array.from({ length: 1001 }, (_, index) => `case ${index}`)
      const header = headerOf("run_1", rulesOf(["a", "b"], cases))
      const writer = yield* store.begin(header)
      const results = cases.flatMap((id) => [resultOf("a", id), resultOf("b", id)])
      yield* Effect.forEach(results, writer.write, { concurrency: 64, discard: true })
      assert.deepStrictEqual(yield* Stream.runCollect(store.results(header.record.runId)), results)
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("finds one result by its cell", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      const result = resultOf("b", "two", 2, { output: "this one" })
      yield* writer.write(resultOf("a", "two", 2))
      yield* writer.write(result)
      assert.deepStrictEqual(yield* store.result(header.record.runId, result), result)
      assert.isNull(yield* store.result(header.record.runId, { ...result, trial: 1 }))
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("keeps one row a cell: the last result written", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      yield* writer.write(resultOf("a", "one", 1, { output: "first" }))
      yield* writer.write(resultOf("a", "one", 1, { output: "second" }))
      const read = yield* Stream.runCollect(store.results(header.record.runId))
      assert.deepStrictEqual(
        read.map(({ output }) => output),
        ["second"]
      )
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("refuses a cell that is not in the plan, and nothing else with it", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      const [stranger, known] = yield* Effect.all(
        [Effect.exit(writer.write(resultOf("stranger", "one"))), Effect.exit(writer.write(resultOf("a", "one")))],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(stranger._tag, "Failure")
      assert.strictEqual(known._tag, "Success")
      assert.lengthOf(yield* Stream.runCollect(store.results(header.record.runId)), 1)
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("fails only the result that the database refuses", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      const broken = resultOf("a", "one", 1, { durationMs: Number.NaN })
      const exits = yield* Effect.all(
        [broken, resultOf("a", "two"), resultOf("b", "three")].map((result) => Effect.exit(writer.write(result))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        exits.map(({ _tag }) => _tag),
        ["Failure", "Success", "Success"]
      )
      assert.deepStrictEqual(cellsOf(yield* Stream.runCollect(store.results(header.record.runId))), [
        "two/a/1",
        "three/b/1"
      ])
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("writes the result of a fiber that is interrupted while it writes", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      const fibers = yield* Effect.forEach(allCells, (cell) =>
        Effect.forkChild(writer.write(resultOf(cell.contestant, cell.caseId, cell.trial)), { startImmediately: true })
      )
      yield* Effect.forEach(fibers.slice(0, 6), Fiber.interrupt, { concurrency: "unbounded" })
      yield* Effect.forEach(fibers.slice(6), Fiber.join)
      assert.lengthOf(yield* Stream.runCollect(store.results(header.record.runId)), allCells.length)
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("refuses results after the end", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      yield* writer.finish(completedFooter(header))
      const error = yield* Effect.flip(writer.write(resultOf("a", "one")))
      assert.strictEqual(error.problem, "closed")
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("may be told the end twice", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      const writer = yield* store.begin(header)
      yield* Effect.all([writer.finish(completedFooter(header)), writer.finish(completedFooter(header))], {
        concurrency: "unbounded"
      })
      assert.strictEqual((yield* store.run("latest"))?.status, "completed")
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("refuses a second run of the same name", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      yield* Effect.scoped(store.begin(headerOf("run_1", rules)))
      const error = yield* Effect.flip(Effect.scoped(store.begin(headerOf("run_1", rules))))
      assert.strictEqual(error.problem, "conflict")
      assert.include(error.message, "run_1")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("lists runs newest first even if the clock was set back, by project, as many as asked for", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const begin = (runId: string, startedAt: string, project: string) =>
        Effect.scoped(store.begin(headerOf(runId, rules, { record: { startedAt, project } })))
      yield* begin("run_old", "2026-01-01T00:00:00.000Z", "demo")
      yield* begin("run_other", "2026-03-01T00:00:00.000Z", "other")
      yield* begin("run_new", "2026-02-01T00:00:00.000Z", "demo")
      const names = (query: Parameters<typeof store.runs>[0]) =>
        Effect.map(store.runs(query), (runs) => runs.map(({ runId }) => runId as string))
      assert.deepStrictEqual(yield* names({}), ["run_new", "run_other", "run_old"])
      assert.deepStrictEqual(yield* names({ project: "demo" }), ["run_new", "run_old"])
      assert.deepStrictEqual(yield* names({ limit: 1 }), ["run_new"])
      assert.strictEqual((yield* store.run("latest"))?.runId, "run_new")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})

describe("a run that nobody finishes", () => {
  const results = [resultOf("a", "one"), errorOf("b", "one"), interruptedOf("a", "two")]

  it.effect("is ended from its results when its scope closes", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      yield* Effect.exit(
        Effect.scoped(
          Effect.gen(function* () {
            const writer = yield* store.begin(header)
            yield* Effect.forEach(results, writer.write)
            return yield* Effect.interrupt
          })
        )
      )
      const record = yield* store.run("latest")
      assert.strictEqual(record?.status, "aborted")
      assert.strictEqual(record?.stopReason, "interrupted")
      assert.deepStrictEqual(record?.counts, {
        planned: 12,
        finished: 2,
        interrupted: 1,
        notStarted: 9,
        errored: 1,
        timedOut: 0
      })
      assert.strictEqual(record?.totalCostUsd, 0.75)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("has failed when nothing was measured", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      yield* Effect.exit(Effect.scoped(Effect.andThen(store.begin(header), Effect.die("a bug"))))
      const record = yield* store.run("latest")
      assert.strictEqual(record?.status, "failed")
      assert.match(record?.stopReason ?? "", /^error: /)
      assert.isNull(record?.totalCostUsd)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("writes what is pending when its scope closes", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rules)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* store.begin(header)
          for (const result of results) yield* Effect.forkDetach(writer.write(result), { startImmediately: true })
        })
      )
      assert.lengthOf(yield* Stream.runCollect(store.results(header.record.runId)), 3)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})
