import { ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import { meanOfRuns } from "@agent-arena/core/engine/watch/CaseMeans"
import {
  type ContestantDrift,
  drifts,
  type WatchedCase,
  type WatchedContestant
} from "@agent-arena/core/engine/watch/Drift"
import { driftSentence } from "@agent-arena/core/engine/watch/DriftText"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const rules = { threshold: 0.05, statistics: { resamples: 1000, confidence: 0.95, seed: 7 } }

const sure = { accuracy: 1, reliability: 1 }

/** Cases whose scores were `before` and are `now`; everything was answered. */
const cases = (before: ReadonlyArray<number | null>, now: ReadonlyArray<number | null>): ReadonlyArray<WatchedCase> =>
  before.map((was, index) => ({
    weight: 1,
    before: { ...sure, accuracy: was },
    now: { ...sure, accuracy: now[index] ?? null }
  }))

const contestant = (
  of: ReadonlyArray<WatchedCase>,
  change: Partial<WatchedContestant> = {},
  name = "one"
): WatchedContestant => ({
  key: ContestantKey.make(name),
  status: "ranked",
  composite: 0.9,
  before: { runs: [RunId.make("earlier")], status: "ranked", composite: 0.9 },
  reason: null,
  cases: of,
  ...change
})

const decide = (one: WatchedContestant, others: ReadonlyArray<WatchedContestant> = []): ContestantDrift => {
  const [drift] = drifts([one, ...others], rules)
  if (drift === undefined) throw new Error("no decision")
  return drift
}

const accuracy = ({ measures }: ContestantDrift) => measures.find(({ measure }) => measure === "accuracy")

const repeated = (count: number, pattern: (index: number) => number) =>
  Array.from({ length: count }, (_, i) => pattern(i))

describe("drift", () => {
  it("is a difference that matters and that chance does not explain", () => {
    const worse = decide(
      contestant(
        cases(
          repeated(30, () => 1),
          repeated(30, (i) => (i % 2 === 0 ? 0 : 1))
        )
      )
    )
    assert.deepInclude(worse, { verdict: "drifted", flagged: true })
    assert.closeTo(accuracy(worse)?.difference?.point ?? 0, -0.5, 1e-12)
    assert.isBelow(accuracy(worse)?.difference?.high ?? 0, 0)
    const better = decide(
      contestant(
        cases(
          repeated(30, (i) => i % 2),
          repeated(30, () => 1)
        )
      )
    )
    assert.deepInclude(better, { verdict: "drifted", flagged: true })
    assert.match(driftSentence(better), /^one has drifted: accuracy \+50\.0 points/)
  })

  it("is not called when cases went both ways, however far", () => {
    const drift = decide(
      contestant(
        cases(
          repeated(20, (i) => (i < 11 ? 1 : 0)),
          repeated(20, (i) => (i < 11 ? 0 : 1))
        )
      )
    )
    assert.closeTo(accuracy(drift)?.difference?.point ?? 0, -0.1, 1e-12)
    assert.deepInclude(drift, { verdict: "unclear", flagged: false })
  })

  it("is not called when it is certain but small", () => {
    const drift = decide(
      contestant(
        cases(
          repeated(40, () => 0.9),
          repeated(40, () => 0.88)
        )
      )
    )
    assert.deepInclude(drift, { verdict: "stable", flagged: false })
    assert.isBelow(accuracy(drift)?.difference?.high ?? 0, 0)
  })

  it("at the threshold counts, whatever floating point makes of it", () => {
    const drift = decide(
      contestant(
        cases(
          repeated(20, () => 0.1 + 0.2),
          repeated(20, () => 0.35)
        )
      )
    )
    assert.strictEqual(drift.verdict, "drifted")
  })

  it("is looked for only in cases that both have, by their weights", () => {
    const drift = decide(
      contestant([
        ...cases([1, 1, 1, null], [1, 1, 1, 0]),
        { weight: 0, before: sure, now: { accuracy: 0, reliability: 1 } }
      ])
    )
    assert.deepInclude(accuracy(drift), { sharedCases: 3, verdict: "stable" })
  })

  it("cannot be told from fewer than three cases", () => {
    const drift = decide(contestant(cases([1, 1], [0, 0])))
    assert.deepInclude(drift, { verdict: "too_few_cases", flagged: false })
    assert.isNull(accuracy(drift)?.difference)
  })

  it("in reliability is drift, too", () => {
    const failing = Array.from({ length: 12 }, () => ({
      weight: 1,
      before: sure,
      now: { accuracy: null, reliability: 0 }
    }))
    const drift = decide(contestant(failing))
    assert.deepInclude(drift, { verdict: "drifted", flagged: true })
    assert.match(driftSentence(drift), /reliability -100\.0 points/)
  })

  it("needs more evidence the more is compared", () => {
    const one = contestant(
      cases(
        repeated(12, () => 1),
        repeated(12, (i) => (i < 4 ? 0 : 1))
      )
    )
    const quiet = Array.from({ length: 40 }, (_, index) =>
      contestant(
        cases(
          repeated(12, () => 1),
          repeated(12, () => 1)
        ),
        {},
        `other ${index}`
      )
    )
    assert.strictEqual(decide(one).verdict, "drifted")
    assert.strictEqual(decide(one, quiet).verdict, "unclear")
  })

  it("flags another status, even where scores say nothing", () => {
    const before = { runs: [RunId.make("earlier")], status: "disqualified", composite: null } as const
    const drift = decide(contestant(cases([1, 1, 1], [1, 1, 1]), { before }))
    assert.deepInclude(drift, { verdict: "stable", flagged: true, previousStatus: "disqualified" })
    assert.include(driftSentence(drift), "it was disqualified, it is ranked")
    const gone = decide(contestant([], { status: "no_data" }))
    assert.deepInclude(gone, { verdict: "not_measured", flagged: true })
    const skippedBefore = { runs: [RunId.make("earlier")], status: "no_data", composite: null } as const
    assert.isFalse(decide(contestant([], { status: "no_data", before: skippedBefore })).flagged)
  })

  it("of a contestant without a past is not looked for", () => {
    for (const reason of ["first", "changed"] as const) {
      const drift = decide(contestant(cases([1, 1, 1], [0, 0, 0]), { before: null, reason }))
      assert.deepInclude(drift, { verdict: "no_baseline", flagged: false })
      assert.lengthOf(drift.measures, 0)
    }
  })

  it.prop(
    "is never called where nothing changed, and is the same whichever way time runs",
    { scores: Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))) },
    ({ scores }) => {
      const same = decide(contestant(cases(scores, scores)))
      assert.strictEqual(same.verdict, scores.length < 3 ? "too_few_cases" : "stable")
      const zeros = scores.map(() => 0)
      const up = accuracy(decide(contestant(cases(zeros, scores))))
      const down = accuracy(decide(contestant(cases(scores, zeros))))
      assert.strictEqual(up?.verdict, down?.verdict)
      assert.closeTo(up?.difference?.point ?? 0, -(down?.difference?.point ?? 0), 1e-9)
    }
  )
})

describe("means of several runs", () => {
  it("count each run the same, where it knows the case", () => {
    const runs = [
      [
        { accuracy: 1, reliability: 1 },
        { accuracy: null, reliability: 0 }
      ],
      [
        { accuracy: 0, reliability: 1 },
        { accuracy: 0.4, reliability: null }
      ]
    ]
    assert.deepStrictEqual(meanOfRuns(runs, 3), [
      { accuracy: 0.5, reliability: 1 },
      { accuracy: 0.4, reliability: 0 },
      { accuracy: null, reliability: null }
    ])
  })
})
