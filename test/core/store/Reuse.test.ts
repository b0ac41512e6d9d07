import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { ContestantKey } from "@agent-arena/core/domain/Ids"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore, type RunHeader } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { completedFooter, errorOf, headerOf, interruptedOf, resultOf, rulesOf } from "./ExampleRun.ts"

const write = (header: RunHeader, results: ReadonlyArray<CallResult>, resume = false) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const writer = yield* store.begin(header, { resume })
    yield* Effect.forEach(results, writer.write, { discard: true })
    yield* writer.finish(completedFooter(header))
  }).pipe(Effect.scoped)

const held = (header: RunHeader) =>
  Effect.gen(function* () {
    const reuse = yield* ResultReuse
    const stored = yield* reuse.stored(header.record.runId)
    if (stored === null) return null
    const cells = yield* Stream.runCollect(stored.cells)
    return cells.map(
      ({ contestant, testCase, trial, fit }) =>
        `${stored.cases[testCase]?.id}/${stored.contestants[contestant]?.key}/${trial} ${fit}`
    )
  })

const old = headerOf("run_old", rulesOf(["a", "b"], ["one", "two"], 2))
const oldResults = [
  resultOf("a", "one", 1),
  resultOf("a", "one", 2),
  resultOf("b", "one", 1, { servedModel: "b-2026", metrics: { documents: 3 } }),
  errorOf("b", "two", 1),
  interruptedOf("a", "two", 1)
]

describe("what a run holds", () => {
  it.effect("is told with the hashes under which it was measured", () =>
    Effect.gen(function* () {
      yield* write(old, oldResults)
      const reuse = yield* ResultReuse
      const stored = yield* reuse.stored(old.record.runId)
      assert.deepStrictEqual(stored?.contestants, [
        { key: ContestantKey.make("a"), hash: "hash-of-a" },
        { key: ContestantKey.make("b"), hash: "hash-of-b" }
      ])
      assert.deepStrictEqual(
        stored?.cases.map(({ input, scoring }) => [input, scoring]),
        [
          ["input-of-one", "scoring-of-one"],
          ["input-of-two", "scoring-of-two"]
        ]
      )
      assert.deepStrictEqual(yield* held(old), [
        "one/a/1 whole",
        "one/a/2 whole",
        "one/b/1 whole",
        "two/a/1 whole",
        "two/b/1 whole"
      ])
      assert.isNull(yield* held(headerOf("run_none", old.rules)))
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("is judged by the plan of the resume: whole, to be scored again, or useless", () =>
    Effect.gen(function* () {
      yield* write(old, oldResults)
      const changed = headerOf("run_old", old.rules, {
        contestantHash: (key) => (key === "b" ? "another model" : `hash-of-${key}`),
        caseHash: (id) => ({ input: `input-of-${id}`, scoring: id === "two" ? "another scorer" : `scoring-of-${id}` })
      })
      yield* write(changed, [], true)
      assert.deepStrictEqual(yield* held(changed), [
        "one/a/1 whole",
        "one/a/2 whole",
        "one/b/1 changed",
        "two/a/1 rescore",
        "two/b/1 changed"
      ])
      const store = yield* ResultStore
      const reuse = yield* ResultReuse
      const toRescore = interruptedOf("a", "two", 1)
      assert.isNull(yield* store.result(old.record.runId, toRescore))
      assert.deepStrictEqual(yield* reuse.answer(old.record.runId, toRescore), toRescore)
      assert.isNull(yield* reuse.answer(old.record.runId, resultOf("b", "one", 1)))
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})

describe("extending a run", () => {
  it.effect("takes over what both runs have in common, exactly, and nothing else", () =>
    Effect.gen(function* () {
      yield* write(old, oldResults)
      const store = yield* ResultStore
      const reuse = yield* ResultReuse
      const wider = headerOf("run_new", rulesOf(["new", "b", "a"], ["two", "zero", "one"], 1), {
        caseHash: (id) => ({ input: `input-of-${id}`, scoring: `scoring-of-${id}` })
      })
      const writer = yield* store.begin(wider)
      const request = { from: old.record.runId, into: wider.record.runId, keepErrors: false }
      assert.strictEqual(yield* reuse.copy(request), 2)
      assert.deepStrictEqual(yield* Stream.runCollect(store.results(wider.record.runId)), [
        oldResults[2],
        oldResults[0]
      ])
      // A second time there is nothing left to take over, but for the errors.
      assert.strictEqual(yield* reuse.copy(request), 0)
      assert.strictEqual(yield* reuse.copy({ ...request, keepErrors: true }), 1)
      // What the run measures itself wins.
      yield* writer.write(resultOf("b", "two", 1))
      assert.deepStrictEqual((yield* Stream.runCollect(store.results(wider.record.runId)))[0], resultOf("b", "two", 1))
      assert.lengthOf(yield* Stream.runCollect(store.results(old.record.runId)), oldResults.length)
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("takes over no cell whose contestant or case has changed, and marks what has to be scored again", () =>
    Effect.gen(function* () {
      yield* write(old, oldResults)
      const store = yield* ResultStore
      const reuse = yield* ResultReuse
      const changed = headerOf("run_new", old.rules, {
        contestantHash: (key) => (key === "b" ? "another model" : `hash-of-${key}`),
        caseHash: (id) => ({ input: `input-of-${id}`, scoring: id === "one" ? "another scorer" : `scoring-of-${id}` })
      })
      yield* store.begin(changed)
      yield* reuse.copy({ from: old.record.runId, into: changed.record.runId, keepErrors: true })
      assert.deepStrictEqual(yield* held(changed), ["one/a/1 rescore", "one/a/2 rescore"])
      assert.deepStrictEqual(yield* Stream.runCollect(store.results(changed.record.runId)), [])
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("needs both runs", () =>
    Effect.gen(function* () {
      yield* write(old, oldResults)
      const reuse = yield* ResultReuse
      const into = headerOf("run_none", old.rules).record.runId
      const error = yield* Effect.flip(reuse.copy({ from: old.record.runId, into, keepErrors: false }))
      assert.strictEqual(error.problem, "not_found")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})

describe("what a run has paid", () => {
  it.effect("counts every call once: repeated, interrupted and outdated ones too, taken over ones not", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const reuse = yield* ResultReuse
      yield* write(old, oldResults)
      const repeated = resultOf("a", "two", 1, { costUsd: 0.5, startedAt: 1_772_400_000_000 })
      const rescored = resultOf("a", "one", 1, { score: 0, passed: false })
      const unpriced = resultOf("b", "two", 1, { costUsd: null, startedAt: 1_772_400_000_000 })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* store.begin(old, { resume: true })
          yield* Effect.forEach([repeated, unpriced], writer.write)
          // Its answer is paid for already; a judge has read it again.
          yield* writer.writePaid(rescored, 0.125)
        })
      )
      const spent = yield* reuse.spent(old.record.runId)
      // a: two cells of case one, the interrupted call and its repetition; b: case one, the error, its repetition.
      assert.deepStrictEqual(spent.get(ContestantKey.make("a")), { usd: 1.375, pricedCalls: 4, calls: 4 })
      assert.deepStrictEqual(spent.get(ContestantKey.make("b")), { usd: 0.5, pricedCalls: 2, calls: 3 })
      const next = headerOf("run_new", old.rules)
      yield* store.begin(next)
      yield* reuse.copy({ from: old.record.runId, into: next.record.runId, keepErrors: true })
      assert.strictEqual((yield* reuse.spent(next.record.runId)).size, 0)
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )
})

describe("the parts of a run", () => {
  it.effect("say which part came from when, and from where", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const reuse = yield* ResultReuse
      yield* write(old, oldResults)
      const resumedAt = "2026-03-02T10:00:00.000Z"
      yield* write(
        headerOf("run_old", old.rules, { record: { startedAt: resumedAt, gitSha: "abc1234" } }),
        [resultOf("a", "two", 1)],
        true
      )
      const parts = yield* reuse.segments(old.record.runId)
      assert.deepStrictEqual(
        parts.map(({ segment, kind, startedAt, status, results, gitSha }) => [
          segment,
          kind,
          startedAt,
          status,
          results,
          gitSha
        ]),
        [
          [1, "start", old.record.startedAt, "completed", 4, null],
          [2, "resume", resumedAt, "completed", 1, "abc1234"]
        ]
      )
      const next = headerOf("run_new", old.rules)
      yield* store.begin(next)
      yield* reuse.copy({ from: old.record.runId, into: next.record.runId, keepErrors: false })
      const copied = (yield* reuse.segments(next.record.runId)).find(({ kind }) => kind === "reuse")
      assert.strictEqual(copied?.sourceRunId, old.record.runId)
      assert.strictEqual(copied?.results, 4)
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )
})
