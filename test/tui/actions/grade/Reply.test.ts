import { readScore } from "@agent-arena/tui/src/actions/grade/gradeFile.ts"
import { shuffled } from "@agent-arena/tui/src/actions/grade/items.ts"
import { readReply } from "@agent-arena/tui/src/actions/grade/session.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

describe("what a person types at an answer", () => {
  it("is a grade with a reason, or a word", () => {
    assert.deepStrictEqual(readReply("p"), { _tag: "Grade", score: 1, reason: "" })
    assert.deepStrictEqual(readReply(" Fail  too curt, really "), {
      _tag: "Grade",
      score: 0,
      reason: "too curt, really"
    })
    assert.deepStrictEqual(readReply(".5 so so"), { _tag: "Grade", score: 0.5, reason: "so so" })
    assert.deepStrictEqual(readReply("s"), { _tag: "Skip" })
    assert.deepStrictEqual(readReply("undo"), { _tag: "Undo" })
    assert.deepStrictEqual(readReply("q"), { _tag: "Quit" })
    for (const line of ["", "  ", "hm", "1.2", "-0.5", "1e-3", "constructor", "2"]) assert.isNull(readReply(line), line)
  })

  it("is never a score outside of 0..1", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
        const score = readScore(text)
        assert.isTrue(score === null || (score >= 0 && score <= 1))
      })
    )
  })
})

describe("the order of grading", () => {
  it("is the same for a seed, another for another, and loses nothing", () => {
    const items = Array.from({ length: 30 }, (_, index) => ({ id: `id${index}`, caseId: "a", cells: [] }))
    const ids = (seed: number) => shuffled(items, seed).map(({ id }) => id)
    assert.deepStrictEqual(ids(1), ids(1))
    assert.notDeepEqual(ids(1), ids(2))
    assert.deepStrictEqual(new Set(ids(1)), new Set(items.map(({ id }) => id)))
  })
})
