import type { Leaderboard, Verdict } from "@agent-arena/core/domain/Leaderboard"
import { rank, rankLive } from "@agent-arena/core/ranking/Rank"
import { assert, describe, it } from "@effect/vitest"
import { assertFields, boardOf, cell, cellsOf, entryOf, measure, type RulesFields, rulesOf } from "./matrix.ts"

/** Scores by contestant: of each case, or of each trial of each case. */
type Scores = Readonly<Record<string, ReadonlyArray<number | ReadonlyArray<number> | null>>>

const cellsFrom = (rules: ReturnType<typeof rulesOf>, scores: Scores) =>
  Object.entries(scores).flatMap(([contestant, cases]) =>
    cellsOf(rules, contestant, (index, trial) => {
      const score = cases[index] ?? null
      const value = typeof score === "number" || score === null ? score : (score[trial - 1] ?? null)
      return value === null ? { error: "boom" } : { score: value }
    })
  )

const fieldsOf = (scores: Scores, fields: RulesFields): RulesFields => {
  const [first = []] = Object.values(scores)
  const [score] = first
  const trials = typeof score === "object" && score !== null ? score.length : 1
  return { contestants: Object.keys(scores), cases: first.length, trials, ...fields }
}

const verdictOf = (
  scores: Scores,
  fields: RulesFields = {}
): { readonly board: Leaderboard; readonly verdict: Verdict } => {
  const rules = rulesOf(fieldsOf(scores, fields))
  const board = boardOf(rules, cellsFrom(rules, scores))
  return { board, verdict: board.verdict }
}

/** `right` ones, then zeros. */
const right = (count: number, of: number): ReadonlyArray<number> =>
  Array.from({ length: of }, (_, index) => (index < count ? 1 : 0))

const same = (score: number, times: number): ReadonlyArray<number> => Array.from({ length: times }, () => score)

describe("a winner", () => {
  it("is declared when the leader is separated from everyone and far enough ahead", () => {
    const { board, verdict } = verdictOf({ a: right(57, 60), b: right(40, 60), c: right(30, 60) })
    assertFields(verdict, { _tag: "Winner", winner: "a" })
    assert.closeTo(verdict._tag === "Winner" ? (verdict.margin ?? 0) : 0, 17 / 60, 1e-12)
    assert.match(
      verdict.sentence,
      /^`a` is the winner: 0\.283 ahead of `b`, and 60 cases are enough to tell it apart from each of the others \(95 % interval of the gap 0\.\d{3} to 0\.\d{3}\)\.$/
    )
    assert.deepStrictEqual(
      board.comparisons.map(({ other, separated }) => [String(other), separated]),
      [
        ["b", true],
        ["c", true]
      ]
    )
  })

  it("needs a margin of min_margin, which floating point cannot take away", () => {
    // 0.95 - 0.93 is 0.019999999999999907 in binary
    assert.strictEqual(verdictOf({ a: same(0.95, 5), b: same(0.93, 5) }).verdict._tag, "Winner")
    assert.strictEqual(verdictOf({ a: same(0.75, 5), b: same(0.73, 5) }).verdict._tag, "Winner")
    const { verdict } = verdictOf({ a: same(0.75, 5), b: same(0.7301, 5) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "none", casesNeeded: null, leading: ["a", "b"] })
    assert.strictEqual(
      verdict.sentence,
      "Unresolved: `a` is ahead of `b` by 0.0199, a real gap, but less than the 0.0200 that counts as a difference. " +
        "More data would only confirm that."
    )
    assert.strictEqual(
      verdictOf({ a: same(0.75, 5), b: same(0.7301, 5) }, { statistics: { minMargin: 0.01 } }).verdict._tag,
      "Winner"
    )
  })

  it("is never declared on fewer than three shared cases", () => {
    const { board, verdict } = verdictOf({ a: right(2, 2), b: right(0, 2) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "cases" })
    assert.include(verdict.sentence, "`b` shares 2 measured cases with it, and fewer than 3 prove nothing")
    assert.isNull(board.comparisons[0]?.composite)
    assert.isNull(entryOf(board, "a").accuracyInterval)
    assert.strictEqual(verdictOf({ a: right(3, 3), b: right(0, 3) }).verdict._tag, "Winner")
    const { verdict: apart } = verdictOf({ a: [1, 1, 1, null, null], b: [null, null, 0, 0, 0] })
    assert.strictEqual(apart._tag, "Unresolved")
  })

  it("is never declared for a run that is not complete", () => {
    const rules = rulesOf(fieldsOf({ a: right(30, 30), b: right(0, 30) }, {}))
    const table = measure(rules, cellsFrom(rules, { a: right(30, 30), b: right(0, 30) }))
    const board = rank(rules, table, { complete: false, extraNotes: ["Waited 3 s for rate limits."] })
    assert.isFalse(board.complete)
    assert.strictEqual(board.verdict._tag, "Unresolved")
    assert.strictEqual(
      board.verdict.sentence,
      "`a` is ahead of `b` by 1.000, but the run did not finish its plan, so no winner is declared."
    )
    assert.strictEqual(board.entries[0]?.rank, 1)
    assert.isNotNull(board.entries[0]?.accuracyInterval)
    assert.deepStrictEqual(board.notes.slice(-2), [
      "Waited 3 s for rate limits.",
      "The run is not complete: 60 of 60 planned cells have an outcome."
    ])
  })

  it("is not declared on the strength of answers that only the leader's rivals gave", () => {
    // a failed on the thirty cases that b found hard: 70/70 against 85/100 on the board, 70 to 70 on the cases of both
    const hard = [...same(1, 15), ...same(0, 15)]
    const { board, verdict } = verdictOf({
      a: [...same(1, 70), ...Array.from({ length: 30 }, () => null)],
      b: [...same(1, 70), ...hard]
    })
    assert.closeTo(entryOf(board, "a").composite ?? 0, 1, 1e-12)
    assert.closeTo(entryOf(board, "b").composite ?? 0, 0.85, 1e-12)
    assertFields(board.comparisons[0], { sharedCases: 70, wins: 0, losses: 0, ties: 70, separated: false })
    assert.strictEqual(board.comparisons[0]?.composite?.point, 0)
    assertFields(verdict, { _tag: "Unresolved", leading: ["a", "b"] })
  })

  it("must be separated from all others, not only from the runner-up", () => {
    // b is always 0.1 behind; c is 0.15 behind on average, but right or wrong by whole cases
    const { verdict } = verdictOf({ a: same(0.9, 12), b: same(0.8, 12), c: right(9, 12) })
    assertFields(verdict, { _tag: "Unresolved", leading: ["a", "c"] })
    assert.include(verdict.sentence, "12 cases cannot tell it apart from `c`")
  })

  it("must survive the correction for the number of rivals", () => {
    const wins = [...same(1, 10), ...same(0, 2), ...same(1, 28)]
    const other = [...same(0, 10), ...same(1, 2), ...same(1, 28)]
    const one = verdictOf({ a: wins, b: other })
    const five = verdictOf({ a: wins, b: other, c: other, d: other, e: other, f: other })
    const single = one.board.comparisons[0]?.pValue ?? Number.NaN
    assert.strictEqual(one.verdict._tag, "Winner")
    assert.isAbove(single, 0.01)
    for (const { pValue, separated } of five.board.comparisons) {
      assert.closeTo(pValue ?? 0, 5 * single, 1e-12)
      assert.isFalse(separated)
    }
    assertFields(five.verdict, { _tag: "Unresolved", leading: ["a", "b", "c", "d", "e", "f"] })
  })
})

describe("an unresolved verdict", () => {
  it("names the group that leads and leaves out who is beaten", () => {
    const { verdict } = verdictOf({ a: right(50, 60), b: right(49, 60), c: right(10, 60) })
    assertFields(verdict, { _tag: "Unresolved", leading: ["a", "b"] })
    assert.match(
      verdict.sentence,
      /^Unresolved: `a` is ahead of `b` by 0\.017, less than the 0\.020 that counts as a difference, and 60 cases cannot tell it apart from `b` /
    )
  })

  it("asks for trials or cases when nothing was repeated, with a number", () => {
    const { verdict } = verdictOf({ a: right(180, 200), b: right(179, 200) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "either" })
    assert.closeTo(verdict._tag === "Unresolved" ? (verdict.margin ?? 0) : 0, 0.005, 1e-12)
    assert.include(verdict.sentence, "0.005")
    assert.include(verdict.sentence, "nobody can know whether more trials would help")
    // one case of 200 differs: (1.96² · 0.005 · 0.995) / 0.005² = 764.5
    const needed = verdict._tag === "Unresolved" ? (verdict.casesNeeded ?? 0) : 0
    assert.isAtLeast(needed, 765 * 0.93)
    assert.isAtMost(needed, 765 * 1.07)
  })

  it("asks for cases alone when every repeat came out the same", () => {
    const thrice = (scores: ReadonlyArray<number>) => scores.map((score) => [score, score, score])
    const { verdict } = verdictOf({ a: thrice(right(180, 200)), b: thrice(right(179, 200)) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "cases" })
    assert.include(verdict.sentence, "More trials would not help")
  })

  it("offers trials as well when the repeats are what scatters", () => {
    // Of 16 cases 8 come out right once in two trials, 4 always, 4 never, as 16 cases of one difficulty would: the means of
    // the cases vary by 0.125, and the trials explain all of it. The other is always at 0.4.
    const a = Array.from({ length: 16 }, (_, index) => (index < 8 ? [1, 0] : index < 12 ? [1, 1] : [0, 0]))
    const { verdict } = verdictOf({ a, b: Array.from({ length: 16 }, () => [0.4, 0.4]) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "either" })
    const [, cases, trials] =
      /about (\d+) cases in total or about (\d+) trials of each case/.exec(verdict.sentence) ?? []
    // (1.96 / 0.1)² · 0.125 = 48 cases, or 48 / 16 times the two trials
    assert.closeTo(Number(cases), 48, 5)
    assert.closeTo(Number(trials), 6, 2)
  })

  it("does not offer trials when the cases are what differs", () => {
    // the same means, but each trial of a case alike
    const a = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? [1, 1] : [0, 0]))
    const { verdict } = verdictOf({ a, b: Array.from({ length: 16 }, () => [0.4, 0.4]) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "cases" })
    // (1.96 / 0.1)² · 0.25 = 96
    assert.closeTo(verdict._tag === "Unresolved" ? (verdict.casesNeeded ?? 0) : 0, 96, 8)
  })

  it("expects nothing of more data when no case differed", () => {
    const { verdict } = verdictOf({ a: right(5, 10), b: right(5, 10) })
    assertFields(verdict, { _tag: "Unresolved", remedy: "none", margin: 0, casesNeeded: null })
    assert.strictEqual(
      verdict.sentence,
      "Unresolved: `a` and `b` have the same composite, and 10 cases cannot tell `a` apart from `b` " +
        "(95 % interval of the gap 0.000 to 0.000). They came out the same in every case: more of the same would change nothing."
    )
  })

  it("gives no number when wins and losses cancel out", () => {
    const { verdict } = verdictOf({ a: [1, 1, 0, 0, 1, 0], b: [0, 0, 1, 1, 1, 0] })
    assertFields(verdict, { _tag: "Unresolved", remedy: "either", margin: 0, casesNeeded: null })
    assert.include(verdict.sentence, "More cases might tell them apart")
  })

  it("says so when no realistic amount of data would help", () => {
    const many = 400
    const a = Array.from({ length: many }, (_, index) => (index % 2 === 0 ? 1 : 0))
    const b = Array.from({ length: many }, (_, index) => (index === 1 ? 0.998 : index % 2 === 0 ? 0 : 1))
    const { verdict } = verdictOf({ a, b })
    assertFields(verdict, { _tag: "Unresolved", remedy: "none", casesNeeded: null })
    assert.include(verdict.sentence, "No realistic number of cases or trials would tell them apart.")
  })

  it("is what switched-off statistics come to, with what can be counted", () => {
    const { board, verdict } = verdictOf({ a: right(30, 30), b: right(0, 30) }, { statistics: { enabled: false } })
    assertFields(verdict, { _tag: "Unresolved", leading: ["a", "b"], margin: 1, remedy: "none" })
    assert.include(verdict.sentence, "statistics are switched off")
    assertFields(board.comparisons[0], { wins: 30, losses: 0, composite: null, pValue: null, separated: false })
    assert.isNull(entryOf(board, "a").compositeInterval)
    assert.strictEqual(entryOf(board, "a").composite, 1)
  })
})

describe("a single qualified contestant", () => {
  const floor = { constraints: { minAccuracy: 0.5 } }

  it("wins by elimination when all others were measured and broke a constraint", () => {
    const { board, verdict } = verdictOf({ a: right(9, 10), b: right(2, 10), c: right(1, 10) }, floor)
    assert.deepStrictEqual(verdict, {
      _tag: "Winner",
      winner: entryOf(board, "a").key,
      margin: null,
      sentence:
        "`a` wins by elimination: it is the only contestant that met every constraint. " +
        "It was not compared with the others, which are disqualified."
    })
    assert.include(board.notes, "Only one contestant qualified, so the ranking is not a comparison.")
  })

  it("does not win over contestants of which nothing is known", () => {
    const rules = rulesOf({ contestants: ["a", "b", { key: "c", skipped: "no key" }], cases: 10, ...floor })
    const board = boardOf(rules, cellsFrom(rules, { a: right(9, 10), b: right(2, 10) }))
    assertFields(board.verdict, { _tag: "Unresolved", leading: ["a"], remedy: "none" })
    assert.include(board.verdict.sentence, "`c` has no results")
  })

  it("does not win alone, on too few cases, or in an unfinished run", () => {
    assert.include(verdictOf({ a: right(9, 10) }).verdict.sentence, "`a` ran alone")
    assertFields(verdictOf({ a: right(2, 2), b: right(0, 2) }, floor).verdict, {
      _tag: "Unresolved",
      remedy: "cases"
    })
    const scores = { a: right(9, 10), b: right(2, 10) }
    const rules = rulesOf(fieldsOf(scores, floor))
    const board = rank(rules, measure(rules, cellsFrom(rules, scores)), { complete: false })
    assert.strictEqual(board.verdict._tag, "Unresolved")
  })
})

describe("no winner", () => {
  it("is the verdict when nobody qualified, with the reasons counted", () => {
    const rules = rulesOf({ contestants: ["a", "b", { key: "c", skipped: "no key" }], constraints: { minAccuracy: 1 } })
    const board = boardOf(rules, [cell("a", "t1", 1, { score: 0 }), cell("b", "t1", 1, { score: 0.5 })])
    assert.deepStrictEqual(board.verdict, {
      _tag: "NoWinner",
      sentence: "No contestant qualified: 2 broke a constraint and 1 has no results."
    })
  })
})

describe("rankLive", () => {
  it("shows the same numbers without intervals and promises nothing", () => {
    const scores = { a: right(30, 30), b: right(0, 30) }
    const rules = rulesOf(fieldsOf(scores, {}))
    const table = measure(rules, cellsFrom(rules, scores))
    const live = rankLive(rules, table)
    const final = rank(rules, table, { complete: true })
    const bare = ({ accuracyInterval: _, compositeInterval: __, ...entry }: Leaderboard["entries"][number]) => entry
    assert.deepStrictEqual(live.entries.map(bare), final.entries.map(bare))
    assertFields(live.verdict, { _tag: "Unresolved", leading: ["a"] })
    assert.include(live.verdict.sentence, "the run is still going on")
    assert.isFalse(live.complete)
  })
})

describe("the note on accuracy alone", () => {
  it("is told from the side of the better one, even when the leader is the other", () => {
    const rules = rulesOf({ contestants: ["cheap", "dear"], cases: 40, weights: { accuracy: 0.2, cost: 0.8 } })
    const scores = { cheap: right(30, 40), dear: right(39, 40) }
    const costs = { cheap: 0.001, dear: 0.1 }
    const cells = (["cheap", "dear"] as const).flatMap((contestant) =>
      cellsOf(rules, contestant, (index) => ({ score: scores[contestant][index] ?? null, costUsd: costs[contestant] }))
    )
    const board = boardOf(rules, cells)
    assert.strictEqual(board.comparisons[0]?.leader, "cheap")
    const note = board.notes.find((text) => text.startsWith("On accuracy alone"))
    const told =
      /`dear` is better than `cheap` by 22\.5 % \(interval of the difference (\S+) % to (\S+) %; 9 won, 0 lost, 31 equal of 40 cases\)/
    const [, low, high] = told.exec(note ?? "") ?? []
    assert.isTrue(Number(low) > 0 && Number(low) < 22.5 && Number(high) > 22.5, note)
  })
})
