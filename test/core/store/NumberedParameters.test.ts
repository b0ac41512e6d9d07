import { DatabaseSync } from "node:sqlite"
import { plainStatement } from "@agent-arena/core/store/NumberedParameters"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

/** Values bound by name, which every Node can do, so that SQLite itself says which place a parameter has. */
const byPlace = (values: ReadonlyArray<number>) =>
  Object.fromEntries(values.map((value, index) => [`?${index + 1}`, value]))

describe("numbered parameters", () => {
  it("take the values that SQLite itself gives them", () => {
    const db = new DatabaseSync(":memory:")
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 }), (places) => {
        const sql = `SELECT ${places.map((place, index) => `?${place} AS c${index}`).join(", ")}`
        const values = Array.from({ length: Math.max(...places) }, (_, index) => 100 + index)
        const used = Object.fromEntries(Object.entries(byPlace(values)).filter(([name]) => sql.includes(`${name} `)))
        const expected = db.prepare(sql).get(used)
        const { order, sql: plain } = plainStatement(sql)
        assert.notMatch(plain, /\?\d/)
        const found = db.prepare(plain).get(...(order ?? []).map((place) => values[place] ?? null))
        assert.deepStrictEqual({ ...found }, { ...expected })
      })
    )
    db.close()
  })

  it("count on from the largest number where one has none", () => {
    assert.deepStrictEqual(plainStatement("SELECT ?2, ?, ?1, ?"), { sql: "SELECT ?, ?, ?, ?", order: [1, 2, 0, 3] })
  })

  it("are not looked for in texts, names and comments", () => {
    const sql = `SELECT '?1 it''s', "?2" -- ?3\n, ?1 /* ?4 */`
    assert.deepStrictEqual(plainStatement(sql), { sql: sql.replace(", ?1", ", ?"), order: [0] })
  })

  it("leave a statement without them as it is", () => {
    assert.deepStrictEqual(plainStatement("SELECT ? WHERE a = ?"), { sql: "SELECT ? WHERE a = ?", order: null })
  })
})
