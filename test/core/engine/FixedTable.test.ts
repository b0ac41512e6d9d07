import * as FixedTables from "@agent-arena/core/engine/FixedTable"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

describe("FixedTable", () => {
  it("behaves like a Map under any sequence of changes", () => {
    const key = fc.oneof(fc.nat(20), fc.nat(), fc.constantFrom(2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1))
    const change = fc.record({ remove: fc.boolean(), key })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const table = FixedTables.make<string>(200)
        const map = new Map<number, string>()
        for (const [index, { key, remove }] of changes.entries()) {
          if (remove) {
            table.delete(key)
            map.delete(key)
          } else {
            table.set(key, `${key} ${index}`)
            map.set(key, `${key} ${index}`)
          }
          assert.strictEqual(table.size(), map.size)
        }
        for (const { key } of changes) assert.strictEqual(table.get(key), map.get(key))
        assert.sameMembers([...table.values()], [...map.values()])
      })
    )
  })

  it("takes what it has room for, again and again, and no more", () => {
    const table = FixedTables.make<number>(3)
    for (let round = 0; round < 1_000; round++) {
      for (let key = 0; key < 3; key++) table.set(round * 8 + key, key)
      assert.throws(() => table.set(round * 8 + 7, 7), RangeError)
      for (let key = 0; key < 3; key++) table.delete(round * 8 + key)
    }
    assert.strictEqual(table.size(), 0)
  })
})
