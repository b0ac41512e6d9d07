import { combine } from "@agent-arena/core/scoring/CellScore"
import { gradeOf, isWaiting, keepGrade, withGrade } from "@agent-arena/core/scoring/ManualGrades"
import { assert, describe, it } from "@effect/vitest"
import { resultOf } from "../store/ExampleRun.ts"

const other = { scorer: "contains", weight: 1, score: 0, passed: false, reason: "no", detail: {}, metrics: {} }
const waiting = { ...other, scorer: "manual", weight: 3, score: null, passed: null, reason: "awaiting" }
const grade = { score: 0.8, reason: "friendly", by: "ada", at: "2026-03-01T10:00:00.000Z" }

const waitingResult = resultOf("a", "one", 1, { score: null, passed: null, scores: [waiting, other] })

describe("a person's grade", () => {
  it("makes the score of its cell with the other scorers, by their weights", () => {
    assert.isTrue(isWaiting(waitingResult))
    const graded = withGrade(waitingResult, grade)
    assert.isFalse(isWaiting(graded))
    assert.closeTo(graded.score ?? -1, 0.6, 1e-9)
    assert.isFalse(graded.passed, "another scorer did not pass")
    assert.deepStrictEqual(gradeOf(graded), grade)
    assert.deepStrictEqual(graded.scores[1], other)
  })

  it("is the whole score when nothing else scores the cell, and can be taken away", () => {
    const alone = resultOf("a", "one", 1, { score: null, passed: null, reason: "awaiting", scores: [waiting] })
    const graded = withGrade(alone, grade)
    assert.deepInclude(graded, { score: 0.8, passed: true, reason: "friendly" })
    const undone = withGrade(graded, null)
    assert.isTrue(isWaiting(undone))
    assert.isNull(undone.score)
    assert.isNull(gradeOf(undone))
  })

  it("stays when the others judge anew, and only where a person is still asked", () => {
    const graded = withGrade(waitingResult, grade)
    const anew = combine([waiting, { ...other, score: 1, passed: true }])
    assert.closeTo(keepGrade(graded, anew).score ?? -1, 0.85, 1e-9)
    assert.isNull(keepGrade(waitingResult, anew).score)
    const withoutPerson = combine([other])
    assert.strictEqual(keepGrade(graded, withoutPerson), withoutPerson)
  })

  it("waits for answers alone", () => {
    assert.isFalse(isWaiting({ ...waitingResult, status: "error", output: null }))
    assert.isFalse(isWaiting(resultOf("a", "one")))
  })
})
