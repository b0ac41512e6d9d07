import { Fault } from "@agent-arena/core/scenario/condition/Compared"
import { comparePrimitive } from "@agent-arena/core/scenario/condition/ComparePrimitive"
import { gradePrimitive } from "@agent-arena/core/scenario/condition/GradePrimitive"
import { Primitive } from "@agent-arena/core/scenario/condition/Primitive"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** `fault` where the comparison could not be made. */
const compare = (primitive: Primitive, value: unknown, expected: unknown = null): boolean | "fault" => {
  const compared = comparePrimitive(primitive, value, expected)
  return compared instanceof Fault ? "fault" : compared
}

type Row = readonly [Primitive, value: unknown, expected: unknown, boolean | "fault"]

const rows: ReadonlyArray<Row> = [
  [{ type: "BooleanMatch" }, true, true, true],
  [{ type: "BooleanMatch" }, null, null, true],
  [{ type: "BooleanMatch" }, null, false, false],
  [{ type: "ExactMatch" }, " Ada ", "ada", true],
  [{ type: "ExactMatch", normalize: [] }, "Ada", "ada", false],
  [{ type: "ExactMatch", normalize: ["remove_punctuation", "collapse_whitespace"] }, "a,  b!", "a b", true],
  [
    { type: "ExactMatch", normalize: ["lowercase", { synonyms: { uk: "united kingdom" } }] },
    "UK",
    "United Kingdom",
    true
  ],
  [{ type: "ContainsAny", substrings: ["x", "b"] }, "abc", null, true],
  [{ type: "ContainsAll", substrings: ["a", "x"] }, "abc", null, false],
  [{ type: "ContainsAll", substrings: [] }, "abc", null, true],
  [{ type: "RegexMatch", pattern: "^ADA", flags: ["IGNORECASE"] }, "ada l.", null, true],
  [{ type: "RegexMatch", pattern: "(" }, "ada", null, "fault"],
  [{ type: "SemanticMatch" }, "a", "b", "fault"],
  [{ type: "NumericExact" }, " 5 ", 5, true],
  [{ type: "NumericExact" }, "five", 5, "fault"],
  [{ type: "NumericTolerance", tolerance: 0.1 }, 110, 100, true],
  [{ type: "NumericTolerance", tolerance: 0.1 }, 1, 0, false],
  [{ type: "NumericTolerance", tolerance: 2, mode: "absolute" }, 98, 100, true],
  [{ type: "NumericRange", min: 1, max: 3 }, 3, null, true],
  [{ type: "NumericRange", min: 1, max: 3, exclusive_max: true }, 3, null, false],
  [{ type: "NumericRange", min: 1 }, null, null, "fault"],
  [{ type: "NumericMinimum" }, 5, 5, true],
  [{ type: "NumericMinimum", exclusive: true }, 5, 5, false],
  [{ type: "NumericMaximum" }, 6, 5, false],
  [{ type: "NumericGraded", cutoff: 0.2, full_credit: 0.1 }, 115, 100, false],
  [{ type: "NumericThresholdGraded", direction: "max", margin: 0.1 }, 100, 100, true],
  [{ type: "SetContainment" }, ["b", "a"], ["a", "b"], true],
  [{ type: "SetContainment", mode: "subset" }, ["a"], ["a", "b"], true],
  [{ type: "SetContainment", mode: "superset" }, ["a"], ["a", "b"], false],
  [{ type: "SetContainment", mode: "overlap", min_overlap: 2 }, ["a", "b"], ["b", "c"], false],
  [{ type: "SetContainment" }, null, ["a"], "fault"],
  [{ type: "OrderedMatch" }, ["A", "b"], ["a", "B"], true],
  [{ type: "OrderedMatch" }, ["b", "a"], ["a", "b"], false],
  [{ type: "LiteralMatch" }, { a: [1] }, { a: [1] }, true],
  [{ type: "DateMatch" }, "May 4 2024", "2024-05-04", true],
  [{ type: "DateMatch", format: "%d.%m.%Y" }, "04.05.2024", "2024-05-04", true],
  [{ type: "DateMatch" }, "no date", "2024-05-04", "fault"],
  [{ type: "DateMatch" }, "room 5", "2001-05-01", "fault"],
  [{ type: "DateMatch" }, "May 4", "2001-05-04", "fault"],
  [{ type: "DateMatch" }, "2024-02-31", "2024-03-02", "fault"],
  [{ type: "DateMatch" }, "4th of May, 2024", "2024-05-04", true],
  [{ type: "DateMatch" }, "Sat, 04 May 2024 23:30:00 -0500", "2024-05-05", true],
  [{ type: "DateMatch" }, "05/04/2024 3:05 PM", "2024-05-04T10:00:00.5Z", true],
  [{ type: "DateMatch", format: "%d %B %Y" }, "4 may 2024", "2024-05-04", true],
  [{ type: "DateMatch", format: "%Y %Y %m %d" }, "2024 2024 05 04", "2024-05-04", "fault"],
  [{ type: "DateTolerance", tolerance: 90, unit: "minutes" }, "2024-05-04T10:00:00+02:00", "2024-05-04 09:20", true],
  [{ type: "DateTolerance", tolerance: 2 }, "2024-05-06", "2024-05-04", true],
  [{ type: "DateRange", min: "2024-01-01", max: "2024-12-31" }, "2025-01-01", null, false],
  [{ type: "TraceContains", substring: "ok" }, "all ok", true, true],
  [{ type: "TraceContains", substring: "ok" }, "all ok", false, false],
  [{ type: "TraceRegex", pattern: "\\d", count_min: 2 }, "1 2", null, true],
  [{ type: "TraceLength", max: 2, unit: "words" }, "one two three", null, false]
]

describe("comparisons", () => {
  for (const [primitive, value, expected, wanted] of rows) {
    it(`${JSON.stringify(primitive)} of ${JSON.stringify(value)} with ${JSON.stringify(expected)}`, () => {
      assert.strictEqual(compare(primitive, value, expected), wanted)
    })
  }

  it.effect.prop(
    "never throw, whatever is compared",
    { primitive: Primitive, value: Schema.Unknown, expected: Schema.Unknown },
    (given) =>
      Effect.sync(() => {
        const grade = gradePrimitive(given.primitive, given.value, given.expected)
        assert.include(
          ["boolean", "fault"],
          typeof compare(given.primitive, given.value, given.expected) === "boolean" ? "boolean" : "fault"
        )
        assert.isTrue(grade === null || (grade >= 0 && grade <= 1), String(grade))
      })
  )
})

describe("parameters of comparisons", () => {
  const decode = Schema.decodeUnknownResult(Primitive)
  it("that leave nothing to compare with are refused", () => {
    const bad: ReadonlyArray<unknown> = [
      { type: "NumericTolerance", tolerance: -1 },
      { type: "NumericRange", min: 3, max: 1 },
      { type: "NumericGraded", cutoff: 0 },
      { type: "NumericGraded", cutoff: 0.1, full_credit: 0.1 },
      { type: "NumericRangeGraded", min: 1, max: 1, margin: 1 },
      { type: "NumericRangeGraded", min: 1, max: 2, margin: 0 },
      { type: "NumericThresholdGraded", direction: "max", margin: Number.NaN },
      { type: "DateTolerance", tolerance: -1 },
      { type: "TraceLength", min: 2, max: 1 },
      { type: "SetContainment", mode: "nearly" },
      { type: "Almost" }
    ]
    for (const primitive of bad) assert.isTrue(Result.isFailure(decode(primitive)), JSON.stringify(primitive))
  })

  it("that are at their limits are taken", () => {
    const good: ReadonlyArray<unknown> = [
      { type: "NumericTolerance", tolerance: 0 },
      { type: "NumericRange", min: 1, max: 1 },
      { type: "NumericGraded", cutoff: 0.1, full_credit: 0 }
    ]
    for (const primitive of good) assert.isTrue(Result.isSuccess(decode(primitive)), JSON.stringify(primitive))
  })
})

describe("grades", () => {
  it("decay from full credit to none", () => {
    const grade = (primitive: Primitive, value: number, expected: unknown = null) =>
      Math.round((gradePrimitive(primitive, value, expected) ?? -1) * 1e9) / 1e9
    assert.strictEqual(grade({ type: "NumericGraded", cutoff: 0.1 }, 105, 100), 0.5)
    assert.strictEqual(grade({ type: "NumericGraded", cutoff: 0.2, full_credit: 0.1 }, 115, 100), 0.5)
    assert.strictEqual(
      grade({ type: "NumericGraded", cutoff: 0.2, full_credit: 0.1, decay: "quadratic" }, 115, 100),
      0.75
    )
    assert.strictEqual(grade({ type: "NumericRangeGraded", min: 1, max: 3, margin: 1 }, 3.5), 0.5)
    assert.strictEqual(grade({ type: "NumericThresholdGraded", direction: "max", margin: 0.1 }, 105, 100), 0.5)
    assert.strictEqual(grade({ type: "BooleanMatch" }, 1, true), 1)
  })
})
