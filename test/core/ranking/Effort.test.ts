import { casesNeeded, type Precision, trialsNeeded } from "@agent-arena/core/ranking/Effort"
import { assert, describe, it } from "@effect/vitest"

/** A gap of 0.1 with a standard error of 0.1 on 50 cases of two trials each. */
const precision: Precision = { gap: 0.1, variance: 0.01, trialVariance: 0.004, cases: 50, trials: 2, z: 2 }

describe("casesNeeded", () => {
  it("grows the cases until the gap spans z standard errors", () => {
    // 2² · 0.01 · 50 / 0.11² = 165.3
    assert.strictEqual(casesNeeded({ ...precision, gap: 0.11 }), 166)
  })

  it("is always more than there are", () => {
    assert.strictEqual(casesNeeded({ ...precision, variance: 1e-6 }), 51)
  })

  it("knows no number without a gap, nor an absurd one", () => {
    assert.isNull(casesNeeded({ ...precision, gap: 0 }))
    assert.isNull(casesNeeded({ ...precision, gap: -0.1 }))
    // 2 000 000 cases
    assert.isNull(casesNeeded({ ...precision, gap: 0.001 }))
    // 5 003 cases of 50: a hundred and one times as many; of 500 it would do
    assert.isNull(casesNeeded({ ...precision, gap: 0.019_99 }))
    assert.strictEqual(casesNeeded({ ...precision, gap: 0.019_99, variance: 0.001, cases: 500 }), 5006)
  })
})

describe("trialsNeeded", () => {
  it("shrinks only the trials' own part of the variance", () => {
    // allowed: (0.18 / 2)² = 0.0081; between cases 0.006; so 0.004 · 2 / T <= 0.0021, T >= 3.8
    assert.strictEqual(trialsNeeded({ ...precision, gap: 0.18 }), 4)
  })

  it("cannot help when the cases themselves differ too much", () => {
    // allowed: 0.0025, less than the 0.006 between cases
    assert.isNull(trialsNeeded(precision))
  })

  it("is unknown when nothing was repeated, and hopeless without a gap", () => {
    assert.isNull(trialsNeeded({ ...precision, gap: 0.18, trialVariance: null }))
    assert.isNull(trialsNeeded({ ...precision, gap: 0 }))
  })

  it("takes trials that scatter more than everything together for all of it", () => {
    // allowed: 0.055² = 0.003025; all of 0.01 · 2 / T, T >= 6.6
    assert.strictEqual(trialsNeeded({ ...precision, gap: 0.11, trialVariance: 0.02 }), 7)
  })
})
