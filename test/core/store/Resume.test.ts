import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { ContestantKey } from "@agent-arena/core/domain/Ids"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { completedFooter, errorOf, headerOf, interruptedOf, resultOf, rulesOf } from "./ExampleRun.ts"

const cellsOf = (results: Iterable<CallResult>) =>
  Array.from(results, ({ contestant, caseId, trial }) => `${caseId}/${contestant}/${trial}`)

const contestants = ["a", "b"]
const cases = ["one", "two", "three"]
const first = headerOf("run_1", rulesOf(contestants, cases))
const runId = first.record.runId

/** The first part of a run: everything but case three, with one error and one interrupted cell. */
const firstPart = [
  resultOf("a", "one"),
  resultOf("b", "one", 1, { model: "another model", output: "from the first part" }),
  errorOf("a", "two"),
  interruptedOf("b", "two")
]

const begun = Effect.gen(function* () {
  const store = yield* ResultStore
  yield* Effect.scoped(
    Effect.flatMap(store.begin(first), (writer) => Effect.forEach(firstPart, writer.write, { discard: true }))
  )
})

const resumed = (header: typeof first, results: ReadonlyArray<CallResult>) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const writer = yield* store.begin(header, { resume: true })
        yield* Effect.forEach(results, writer.write, { discard: true })
        yield* writer.finish(completedFooter(header))
        return writer.segment
      })
    )
  })

const stored = Effect.gen(function* () {
  const store = yield* ResultStore
  return yield* Stream.runCollect(store.results(runId))
})

describe("resuming a run", () => {
  it.effect("keeps what was measured, replaces what is measured again, and keeps its name and its start", () =>
    Effect.gen(function* () {
      yield* begun
      const store = yield* ResultStore
      const again = headerOf("run_1", rulesOf(contestants, cases), {
        record: { startedAt: "2026-03-02T10:00:00.000Z", arenaVersion: "0.2.0" }
      })
      const second = [resultOf("a", "two"), resultOf("b", "two"), resultOf("a", "three"), resultOf("b", "three")]
      assert.strictEqual(yield* resumed(again, second), 2)
      assert.deepStrictEqual(yield* stored, [...firstPart.slice(0, 2), ...second])
      const [record, ...others] = yield* store.runs({})
      assert.deepStrictEqual(others, [])
      assert.strictEqual(record?.status, "completed")
      assert.strictEqual(record?.startedAt, first.record.startedAt)
      assert.strictEqual(record?.arenaVersion, "0.2.0")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("follows a new order of the plan, and new members of it", () =>
    Effect.gen(function* () {
      yield* begun
      const header = headerOf("run_1", rulesOf(["new", "b", "a"], ["zero", "two", "one", "three"]))
      yield* resumed(header, [resultOf("new", "two")])
      const read = yield* stored
      assert.deepStrictEqual(cellsOf(read), ["two/new/1", "two/b/1", "two/a/1", "one/b/1", "one/a/1"])
      assert.deepStrictEqual(
        read.find(({ contestant, caseId }) => contestant === "b" && caseId === "one"),
        firstPart[1]
      )
      const store = yield* ResultStore
      assert.deepStrictEqual((yield* store.header(runId))?.rules, header.rules)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("leaves out what is no longer planned, and has it again when it is", () =>
    Effect.gen(function* () {
      yield* begun
      yield* resumed(headerOf("run_1", rulesOf(["b"], ["two", "one"])), [])
      assert.deepStrictEqual(cellsOf(yield* stored), ["two/b/1", "one/b/1"])
      yield* resumed(first, [])
      assert.deepStrictEqual(yield* stored, firstPart)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("leaves out trials beyond those that are planned", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const three = headerOf("run_1", rulesOf(["a"], ["one"], 3))
      yield* Effect.scoped(
        Effect.flatMap(store.begin(three), (writer) =>
          Effect.forEach([1, 2, 3], (trial) => writer.write(resultOf("a", "one", trial)))
        )
      )
      yield* resumed(headerOf("run_1", rulesOf(["a"], ["one"], 2)), [])
      assert.deepStrictEqual(cellsOf(yield* stored), ["one/a/1", "one/a/2"])
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("no longer counts the results of a contestant or a case that has changed", () =>
    Effect.gen(function* () {
      yield* begun
      const changedContestant = headerOf("run_1", rulesOf(contestants, cases), {
        contestantHash: (key) => (key === "a" ? "another prompt" : `hash-of-${key}`)
      })
      yield* resumed(changedContestant, [])
      assert.deepStrictEqual(cellsOf(yield* stored), ["one/b/1", "two/b/1"])
      const changedCase = headerOf("run_1", rulesOf(contestants, cases), {
        contestantHash: (key) => (key === "a" ? "another prompt" : `hash-of-${key}`),
        caseHash: (id) => ({ input: id === "one" ? "another question" : `input-of-${id}`, scoring: `scoring-of-${id}` })
      })
      yield* resumed(changedCase, [resultOf("a", "one", 1, { output: "the new answer" })])
      const read = yield* stored
      assert.deepStrictEqual(cellsOf(read), ["one/a/1", "two/b/1"])
      assert.strictEqual(read[0]?.output, "the new answer")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("keeps the model that really answered when the contestant gets another one", () =>
    Effect.gen(function* () {
      yield* begun
      const rules = rulesOf(contestants, cases)
      const other = {
        ...rules,
        contestants: rules.contestants.map((it) =>
          it.key === "b" ? { ...it, model: "brand new", provider: "other" } : it
        )
      }
      // The hash stays, as of a contestant that is skipped this time: its results still count.
      yield* resumed(headerOf("run_1", other), [])
      assert.deepStrictEqual(yield* stored, firstPart)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("refuses a run that is not there, and one of another project", () =>
    Effect.gen(function* () {
      yield* begun
      const store = yield* ResultStore
      const absent = yield* Effect.flip(store.begin(headerOf("run_2", first.rules), { resume: true }))
      assert.strictEqual(absent.problem, "not_found")
      const foreign = headerOf("run_1", first.rules, { record: { project: "other" } })
      const refused = yield* Effect.flip(store.begin(foreign, { resume: true }))
      assert.strictEqual(refused.problem, "conflict")
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("takes a run away from a writer that was thought to be dead", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      // No process is known for it and its heartbeat is old, so that it looks dead; yet its writer is still there.
      const zombie = yield* store.begin(
        headerOf("run_1", first.rules, { record: { startedAt: "1970-01-01T00:00:00.000Z" } })
      )
      const writer = yield* Effect.andThen(
        TestClock.adjust("1 hour"),
        store.begin(headerOf("run_1", first.rules, { record: { startedAt: "1970-01-01T01:00:00.000Z" } }), {
          resume: true
        })
      )
      yield* writer.write(resultOf("a", "one", 1, { output: "the heir's" }))
      yield* zombie.write(resultOf("a", "one", 1, { output: "the zombie's" }))
      assert.strictEqual((yield* stored)[0]?.output, "the heir's")
      // Both calls were paid for.
      const reuse = yield* ResultReuse
      assert.strictEqual((yield* reuse.spent(runId)).get(ContestantKey.make("a"))?.usd, 0.5)
      assert.strictEqual((yield* Effect.flip(zombie.heartbeat("1970-01-01T01:00:01.000Z"))).problem, "conflict")
      assert.strictEqual((yield* Effect.flip(zombie.finish(completedFooter(first)))).problem, "conflict")
      assert.strictEqual((yield* store.run(runId))?.status, "running")
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )
})
