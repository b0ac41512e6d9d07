import { statSync } from "node:fs"
import { join } from "node:path"
import { RunId } from "@agent-arena/core/domain/Ids"
import * as LocalProcess from "@agent-arena/core/store/LocalProcess"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { RunShelf } from "@agent-arena/core/store/RunShelf"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { arbitraryResult } from "./ArbitraryResult.ts"
import { completedFooter, errorOf, headerOf, interruptedOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const rules = rulesOf(["a", "b"], ["one", "two"])
const runId = RunId.make("run_1")

const write = (id: string, results = [resultOf("a", "one"), errorOf("b", "one")]) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const header = headerOf(id, rules)
    const writer = yield* store.begin(header)
    yield* Effect.forEach(results, writer.write, { discard: true })
    yield* writer.finish(completedFooter(header))
  }).pipe(Effect.scoped)

const names = (query: Parameters<RunShelf["Service"]["list"]>[0]) =>
  Effect.gen(function* () {
    const shelf = yield* RunShelf
    return (yield* shelf.list(query)).map(({ record }) => record.runId as string)
  })

describe("the shelf of runs", () => {
  it.effect("keeps label, notes and tags, each on its own", () =>
    Effect.gen(function* () {
      yield* write("run_1")
      const shelf = yield* RunShelf
      yield* shelf.note(runId, { label: "baseline", notes: "before the new prompt", tags: ["prompt", "may"] })
      yield* shelf.note(runId, { label: null })
      const [run] = yield* shelf.list({})
      assert.isNull(run?.record.label)
      assert.strictEqual(run?.notes, "before the new prompt")
      assert.deepStrictEqual(run?.tags, ["prompt", "may"])
      // Notes of people and notes of the leaderboard are different things.
      const store = yield* ResultStore
      assert.deepStrictEqual((yield* store.leaderboard(runId))?.notes, ["a note"])
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("tells how contestants have fared, and which runs can be compared", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const run = (header: ReturnType<typeof headerOf>) =>
        Effect.scoped(Effect.flatMap(store.begin(header), (writer) => writer.finish(completedFooter(header))))
      const caseHash = (id: string) => ({ input: `another question ${id}`, scoring: "s" })
      yield* run(headerOf("run_1", rulesOf(["a", "b"], ["one", "two"])))
      yield* run(headerOf("run_2", { ...rulesOf(["b"], []), cases: rules.cases.toReversed() }))
      yield* run(headerOf("run_3", rulesOf(["a", "b"], ["one", "two"]), { caseHash }))
      yield* run(headerOf("run_4", { ...rules, metrics: { ...rules.metrics, weights: { accuracy: 1, cost: 1 } } }))
      yield* Effect.scoped(store.begin(headerOf("run_5", rules)))
      const [run5, run4, run3, run2, run1, ...others] = yield* shelf.history({})
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(run5?.entries, [])
      assert.deepStrictEqual(
        run1?.entries.map(({ contestant, rank, composite }) => [contestant as string, rank, composite]),
        [
          ["a", 1, 1],
          ["b", 2, 0.5]
        ]
      )
      assert.strictEqual(run5?.comparable, run1?.comparable)
      assert.notStrictEqual(run4?.comparable, run1?.comparable)
      assert.notStrictEqual(run3?.comparable, run1?.comparable)
      // Neither the order of the cases matters, nor who else took part.
      assert.strictEqual(run2?.comparable, run1?.comparable)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("hides archived and removed runs, and brings them back", () =>
    Effect.gen(function* () {
      yield* write("run_1")
      yield* write("run_2")
      yield* write("run_3")
      const shelf = yield* RunShelf
      const store = yield* ResultStore
      yield* shelf.archive(RunId.make("run_2"))
      yield* shelf.remove(RunId.make("run_3"))
      assert.deepStrictEqual(yield* names({}), ["run_1"])
      assert.deepStrictEqual(yield* names({ includeArchived: true }), ["run_2", "run_1"])
      assert.deepStrictEqual(yield* names({ includeArchived: true, includeDeleted: true }), ["run_3", "run_2", "run_1"])
      assert.strictEqual((yield* store.run("latest"))?.runId, "run_2")
      yield* shelf.unarchive(RunId.make("run_2"))
      yield* shelf.restore(RunId.make("run_3"))
      assert.deepStrictEqual(yield* names({}), ["run_3", "run_2", "run_1"])
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("deletes one run for good, as planned, and nothing of another", () =>
    Effect.gen(function* () {
      yield* write("run_1")
      yield* write("run_2")
      const shelf = yield* RunShelf
      const store = yield* ResultStore
      const plan = yield* shelf.purgePlan(runId)
      assert.deepStrictEqual([plan.runs, plan.results], [[runId], 2])
      yield* shelf.purge(runId)
      assert.isNull(yield* store.run(runId))
      assert.deepStrictEqual(yield* names({ includeDeleted: true }), ["run_2"])
      assert.lengthOf(yield* Stream.runCollect(store.results(RunId.make("run_2"))), 2)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("gives the room of removed runs back to the disk", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* Effect.gen(function* () {
        const shelf = yield* RunShelf
        yield* write("run_1", [resultOf("a", "one", 1, { output: "x".repeat(1_000_000) })])
        yield* write("run_2")
        yield* shelf.remove(runId)
        const plan = yield* shelf.vacuumPlan
        assert.deepStrictEqual([plan.runs, plan.results], [[runId], 1])
        const size = yield* shelf.vacuum(plan)
        assert.isBelow(size, plan.bytes - 900_000)
        assert.strictEqual(statSync(path).size, size)
        assert.deepStrictEqual(yield* names({ includeDeleted: true }), ["run_2"])
      }).pipe(Effect.provide(ResultStore.layer(path)))
    })
  )

  it.effect("spares a run that was restored after the plan was made", () =>
    Effect.gen(function* () {
      yield* write("run_1")
      const shelf = yield* RunShelf
      yield* shelf.remove(runId)
      const plan = yield* shelf.vacuumPlan
      yield* shelf.restore(runId)
      yield* shelf.vacuum(plan)
      assert.deepStrictEqual(yield* names({}), ["run_1"])
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("removes nothing that goes on, and knows nothing of strangers", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const host = yield* LocalProcess.current
      yield* store.begin(headerOf("run_1", rules, { record: { host } }))
      for (const removal of [shelf.remove(runId), shelf.purge(runId)]) {
        assert.strictEqual((yield* Effect.flip(removal)).problem, "conflict")
      }
      const stranger = RunId.make("run_none")
      for (const operation of [shelf.remove(stranger), shelf.archive(stranger), shelf.note(stranger, { label: "x" })]) {
        assert.strictEqual((yield* Effect.flip(operation)).problem, "not_found")
      }
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )
})

const exported = (id = runId) => Effect.flatMap(RunShelf, (shelf) => Stream.runCollect(shelf.exportRun(id)))

const importAll = (lines: Iterable<string>) =>
  Effect.flatMap(RunShelf, (shelf) => shelf.importRun(Stream.fromIterable(lines), "run.jsonl"))

/** A run of two segments: with replaced, rescored, outdated and hostile results in it. */
const fullRun = Effect.gen(function* () {
  const store = yield* ResultStore
  const shelf = yield* RunShelf
  const samples = fc.sample(arbitraryResult("a", "two"), 20).map((result, index) => ({ ...result, trial: index + 1 }))
  const wide = rulesOf(["a", "b"], ["one", "two"], 20)
  const begin = (
    header: ReturnType<typeof headerOf>,
    resume: boolean,
    results: ReadonlyArray<ReturnType<typeof resultOf>>
  ) =>
    Effect.gen(function* () {
      const writer = yield* store.begin(header, { resume })
      yield* Effect.forEach(results, writer.write, { discard: true })
      yield* writer.finish(completedFooter(header))
    }).pipe(Effect.scoped)
  yield* begin(headerOf("run_1", wide), false, [resultOf("a", "one"), interruptedOf("b", "one"), ...samples])
  const changed = headerOf("run_1", wide, { caseHash: (id) => ({ input: `input-of-${id}`, scoring: "another" }) })
  yield* begin(changed, true, [resultOf("b", "one", 1, { startedAt: 1 })])
  yield* shelf.note(runId, { label: "to travel", notes: "with \ud800 in it", tags: ["x"] })
})

describe("an exported run", () => {
  it.effect("is the same in another database, to the last line", () =>
    Effect.gen(function* () {
      const first = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      const second = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      yield* Effect.provide(fullRun, first)
      const lines = yield* Effect.provide(exported(), first)
      const record = yield* Effect.provide(importAll(lines), second)
      assert.strictEqual(record.runId, runId)
      const again = yield* Effect.provide(exported(), second)
      assert.strictEqual(again.length, lines.length)
      for (const [index, line] of lines.entries()) assert.strictEqual(again[index], line)
      const facts = Effect.gen(function* () {
        const store = yield* ResultStore
        const reuse = yield* ResultReuse
        return {
          run: yield* store.run("latest"),
          header: yield* store.header(runId),
          leaderboard: yield* store.leaderboard(runId),
          results: yield* Stream.runCollect(store.results(runId)),
          spent: yield* reuse.spent(runId),
          segments: yield* reuse.segments(runId)
        }
      })
      assert.deepStrictEqual(yield* Effect.provide(facts, second), yield* Effect.provide(facts, first))
    }).pipe(Effect.scoped)
  )

  it.effect("can be resumed where it arrives", () =>
    Effect.gen(function* () {
      const first = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      yield* Effect.provide(write("run_1"), first)
      const lines = yield* Effect.provide(exported(), first)
      const second = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      yield* Effect.gen(function* () {
        yield* importAll(lines)
        const store = yield* ResultStore
        const writer = yield* store.begin(headerOf("run_1", rules), { resume: true })
        assert.strictEqual(writer.segment, 2)
        yield* writer.write(resultOf("b", "one"))
        assert.lengthOf(yield* Stream.runCollect(store.results(runId)), 2)
      }).pipe(Effect.provide(second))
    }).pipe(Effect.scoped)
  )

  it.effect("is refused whole when something is wrong with it, with the line", () =>
    Effect.gen(function* () {
      const first = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      yield* Effect.provide(write("run_1"), first)
      const lines = yield* Effect.provide(exported(), first)
      const broken: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<string>, at: string]> = [
        ["cut off", lines.slice(0, -1), "cut off"],
        ["a line is missing", lines.toSpliced(-2, 1), `:${lines.length - 1}`],
        ["a line is cut", lines.with(4, (lines[4] ?? "").slice(0, 20)), ":5"],
        ["not a run", ["hello", ...lines], ":1"],
        ["no head", lines.slice(1), ":1"],
        ["more behind the end", [...lines, ...lines.slice(-1)], `:${lines.length + 1}`],
        ["nothing", [], "cut off"]
      ]
      const second = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      yield* Effect.gen(function* () {
        for (const [name, content, at] of broken) {
          const error = yield* Effect.flip(importAll(content))
          assert.strictEqual(error._tag, "StoreError", name)
          assert.include(error.message, at, name)
          assert.deepStrictEqual(yield* names({ includeDeleted: true }), [], name)
        }
        yield* importAll(lines)
        assert.strictEqual((yield* Effect.flip(importAll(lines))).problem, "conflict")
        assert.deepStrictEqual(yield* names({}), ["run_1"])
      }).pipe(Effect.provide(second))
    }).pipe(Effect.scoped)
  )

  it.effect("leaves nothing behind when its import is interrupted", () =>
    Effect.gen(function* () {
      const first = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      const cases = Array.from({ length: 600 }, (_, index) => `case ${index}`)
      const store = Context.get(first, ResultStore)
      yield* Effect.scoped(store.begin(headerOf("run_1", rulesOf(["a"], cases))))
      const lines = yield* Effect.provide(exported(), first)
      const second = yield* Layer.build(Layer.fresh(ResultStore.layerMemory))
      yield* Effect.gen(function* () {
        const shelf = yield* RunShelf
        const endless = Stream.concat(Stream.fromIterable(lines.slice(0, -1)), Stream.never)
        const fiber = yield* Effect.forkChild(shelf.importRun(endless, "run.jsonl"))
        while ((yield* names({ includeDeleted: true })).length === 0) yield* Effect.yieldNow
        assert.deepStrictEqual(yield* names({}), [])
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* names({ includeDeleted: true }), [])
      }).pipe(Effect.provide(second))
    }).pipe(Effect.scoped)
  )

  it.effect("needs a run", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(exported())).problem, "not_found")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})
