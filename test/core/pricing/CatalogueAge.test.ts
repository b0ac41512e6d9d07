import { ageInDays, isStale } from "@agent-arena/core/pricing/CatalogueAge"
import { assert, describe, it } from "@effect/vitest"

const now = Date.UTC(2026, 11, 1, 12)

describe("CatalogueAge", () => {
  it("counts whole days in UTC", () => {
    assert.strictEqual(ageInDays("2026-11-30", now), 1)
    assert.strictEqual(ageInDays("2026-12-01T23:00:00+02:00", now), 0)
  })

  it("calls facts stale after ninety days, not on the ninetieth", () => {
    assert.isFalse(isStale("2026-09-02", now))
    assert.isTrue(isStale("2026-09-01", now))
  })

  it("makes nothing of what is no date", () => {
    for (const text of [undefined, "", "soon", "2026-13-01", "2026-02-30"]) {
      assert.isNull(ageInDays(text, now))
      assert.isFalse(isStale(text, now))
    }
  })
})
