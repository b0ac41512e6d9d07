import { manual } from "@agent-arena/core/scoring/ManualScorer"
import { assert, describe, it } from "@effect/vitest"
import { judgeNow, problems } from "./judging.ts"

describe("manual", () => {
  it("gives neither a score nor a verdict", () => {
    const { score, passed, reason } = judgeNow(manual, "anything", undefined)
    assert.isNull(score)
    assert.isNull(passed)
    assert.include(reason, "awaiting")
  })

  it("needs no reference and takes no params", () => {
    assert.isEmpty(problems(manual, undefined))
    assert.include(problems(manual, undefined, { threshold: 1 }).join(), "unknown param")
  })
})
