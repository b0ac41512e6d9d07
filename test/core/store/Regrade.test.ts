import { RunId } from "@agent-arena/core/domain/Ids"
import { rankGraded, restoreGrades } from "@agent-arena/core/engine/GradeRun"
import { gradeOf, withGrade } from "@agent-arena/core/scoring/ManualGrades"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { RunShelf } from "@agent-arena/core/store/RunShelf"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const example = rulesOf(["a", "b"], ["one"])
const rules = { ...example, constraints: { ...example.constraints, allowUnknownCard: true } }
const runId = RunId.make("run_1")
const manual = { scorer: "manual", weight: 1, score: null, passed: null, reason: "awaiting", detail: {}, metrics: {} }
const waiting = (contestant: string) =>
  resultOf(contestant, "one", 1, { score: null, passed: null, reason: "awaiting", scores: [manual] })
const grade = (score: number) => ({ score, reason: `it is ${score}`, by: "ada", at: "2026-03-01T10:00:00.000Z" })

const ended = Effect.gen(function* () {
  const store = yield* ResultStore
  const header = headerOf("run_1", rules)
  const writer = yield* store.begin(header)
  yield* Effect.forEach(["a", "b"], (key) => writer.write(waiting(key)), { discard: true })
  yield* writer.finish(completedFooter(header))
}).pipe(Effect.scoped)

describe("scores that a person gives after a run", () => {
  it.effect("are written in place, the earlier grade is kept, and nothing is paid twice", () =>
    Effect.gen(function* () {
      yield* ended
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const paid = (yield* store.run(runId))?.totalCostUsd
      const [first] = [...(yield* Stream.runCollect(store.results(runId)))]
      if (first === undefined) return assert.fail("no result")
      const graded = withGrade(first, grade(1))
      yield* shelf.regrade(runId, [{ before: first, after: graded, keep: false }])
      assert.deepStrictEqual(yield* store.result(runId, first), graded)
      const again = withGrade(graded, grade(0.25))
      yield* shelf.regrade(runId, [{ before: graded, after: again, keep: true }])
      assert.deepStrictEqual(yield* store.result(runId, first), again)
      const lines = [...(yield* Stream.runCollect(shelf.exportRun(runId)))].join("")
      assert.strictEqual(lines.split('"superseded":"rescored"').length - 1, 1, "the first grade is still there")
      assert.include(lines, "it is 1")
      assert.strictEqual((yield* store.run(runId))?.totalCostUsd, paid)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("are refused when the answer has been graded since, all of them", () =>
    Effect.gen(function* () {
      yield* ended
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const [one, two] = [...(yield* Stream.runCollect(store.results(runId)))]
      if (one === undefined || two === undefined) return assert.fail("no results")
      yield* shelf.regrade(runId, [{ before: two, after: withGrade(two, grade(1)), keep: false }])
      const late = yield* Effect.flip(
        shelf.regrade(
          runId,
          [one, two].map((before) => ({ before, after: withGrade(before, grade(0)), keep: false }))
        )
      )
      assert.strictEqual(late.problem, "conflict")
      assert.isNull((yield* store.result(runId, one))?.score)
      const stands = yield* store.result(runId, two)
      assert.strictEqual(stands === null ? null : gradeOf(stands)?.score, 1)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("are refused while the run goes on", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const header = headerOf("run_1", rules, {
        record: {
          host: { hostname: "elsewhere", pid: 1, bootId: null },
          heartbeatAt: new Date(0).toISOString()
        }
      })
      const writer = yield* store.begin(header)
      yield* writer.write(waiting("a"))
      const before = yield* store.result(runId, waiting("a"))
      if (before === null) return assert.fail("no result")
      const error = yield* Effect.flip(
        shelf.regrade(runId, [{ before, after: withGrade(before, grade(1)), keep: false }])
      )
      assert.strictEqual(error.problem, "conflict")
      assert.include(error.message, "still running")
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("are refused when another grade came to the same score in between", () =>
    Effect.gen(function* () {
      yield* ended
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const before = yield* store.result(runId, waiting("a"))
      if (before === null) return assert.fail("no result")
      yield* shelf.regrade(runId, [{ before, after: withGrade(before, grade(0.5)), keep: false }])
      const graded = yield* store.result(runId, waiting("a"))
      if (graded === null) return assert.fail("no result")
      const reworded = withGrade(graded, { ...grade(0.5), by: "bob", reason: "for another reason" })
      yield* shelf.regrade(runId, [{ before: graded, after: reworded, keep: true }])
      const late = yield* Effect.flip(
        shelf.regrade(runId, [{ before: graded, after: withGrade(graded, grade(0)), keep: true }])
      )
      assert.strictEqual(late.problem, "conflict")
      assert.deepStrictEqual(yield* store.result(runId, waiting("a")), reworded)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("come back with an answer that says the same, but not when another question was asked", () =>
    Effect.gen(function* () {
      yield* ended
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const gradeA = Effect.gen(function* () {
        const before = yield* store.result(runId, waiting("a"))
        if (before === null) return assert.fail("no result")
        yield* shelf.regrade(runId, [{ before, after: withGrade(before, grade(1)), keep: false }])
      })
      const askAgain = (input: string, startedAt: number) =>
        Effect.gen(function* () {
          const header = headerOf("run_1", rules, { caseHash: () => ({ input, scoring: "scoring-of-one" }) })
          const writer = yield* store.begin(header, { resume: true })
          yield* writer.write({ ...waiting("a"), startedAt })
          yield* writer.finish(completedFooter(header))
        }).pipe(Effect.scoped)
      yield* gradeA
      yield* askAgain("input-of-one", 1)
      assert.strictEqual(yield* restoreGrades({ store, shelf }, runId), 1)
      yield* askAgain("another question", 2)
      assert.strictEqual(yield* restoreGrades({ store, shelf }, runId), 0)
      yield* askAgain("another question", 3)
      assert.strictEqual(yield* restoreGrades({ store, shelf }, runId), 0, "nor is it forgotten later")
      yield* gradeA
      yield* askAgain("another question", 4)
      assert.strictEqual(yield* restoreGrades({ store, shelf }, runId), 1)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("are in the ranking of whoever writes it last, when two people grade at once", () =>
    Effect.gen(function* () {
      yield* ended
      const store = yield* ResultStore
      const shelf = yield* RunShelf
      const run = yield* store.run(runId)
      const [one, two] = [yield* store.result(runId, waiting("a")), yield* store.result(runId, waiting("b"))]
      if (run === null || one === null || two === null) return assert.fail("no run")
      yield* shelf.regrade(runId, [{ before: one, after: withGrade(one, grade(0.5)), keep: false }])
      let isBetween = true
      const crossed: typeof shelf = {
        ...shelf,
        rerank: (id, leaderboard) =>
          Effect.gen(function* () {
            if (isBetween) {
              isBetween = false
              yield* shelf.regrade(id, [{ before: two, after: withGrade(two, grade(1)), keep: false }])
            }
            yield* shelf.rerank(id, leaderboard)
          })
      }
      yield* rankGraded({ store, shelf: crossed }, run, [])
      const board = yield* store.leaderboard(runId)
      assert.strictEqual(board?.entries.find(({ rank }) => rank === 1)?.key, "b")
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )

  it.effect("rank the run anew", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.gen(function* () {
        yield* ended
        const store = yield* ResultStore
        const shelf = yield* RunShelf
        const run = yield* store.run(runId)
        const results = [...(yield* Stream.runCollect(store.results(runId)))]
        if (run === null) return assert.fail("no run")
        const scores = results.map((before) => ({
          before,
          after: withGrade(before, grade(before.contestant === "b" ? 1 : 0)),
          keep: false
        }))
        yield* shelf.regrade(runId, scores)
        yield* rankGraded({ store, shelf }, run, ["a note of the run"])
        const board = yield* store.leaderboard(runId)
        assert.strictEqual(board?.entries.find(({ rank }) => rank === 1)?.key, "b")
        assert.include(board?.notes ?? [], "a note of the run")
      }).pipe(Effect.provide(ResultStore.layer(`${folder}/arena.sqlite`)))
    }).pipe(Effect.scoped)
  )
})
