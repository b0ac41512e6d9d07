import type { StoreError } from "@agent-arena/core/domain/StoreError"
import * as GroupCommit from "@agent-arena/core/store/GroupCommit"
import { refuse } from "@agent-arena/core/store/StoreFailure"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** A commit that notes its groups; odd numbers fail. */
const recording = (groups: Array<ReadonlyArray<number>>) => (items: ReadonlyArray<number>) =>
  Effect.sync((): ReadonlyArray<StoreError | null> => {
    groups.push(items)
    return items.map((item) => (item % 2 === 0 ? null : refuse("write", "somewhere", "io", `${item} is odd`)))
  })

const evens = (count: number) => Array.from({ length: count }, (_, index) => 2 * index)

describe("GroupCommit", () => {
  it.effect("commits together what is submitted in the same tick", () =>
    Effect.gen(function* () {
      const groups: Array<ReadonlyArray<number>> = []
      const { submit } = yield* GroupCommit.make(recording(groups))
      yield* Effect.forEach(evens(10), submit, { concurrency: "unbounded" })
      assert.deepStrictEqual(groups, [evens(10)])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps groups bounded, and the order", () =>
    Effect.gen(function* () {
      const groups: Array<ReadonlyArray<number>> = []
      const { submit } = yield* GroupCommit.make(recording(groups))
      yield* Effect.forEach(evens(1000), submit, { concurrency: "unbounded" })
      assert.deepStrictEqual(groups.flat(), evens(1000))
      assert.isTrue(groups.every((group) => group.length <= 256))
    }).pipe(Effect.scoped)
  )

  it.effect("tells each item its own outcome", () =>
    Effect.gen(function* () {
      const { submit } = yield* GroupCommit.make(recording([]))
      const outcomes = yield* Effect.forEach([0, 1, 2, 3], (item) => Effect.result(submit(item)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        outcomes.map((outcome) => (outcome._tag === "Success" ? "ok" : outcome.failure.detail)),
        ["ok", "1 is odd", "ok", "3 is odd"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("lets the next group gather while one is committed, and settles both", () =>
    Effect.gen(function* () {
      const groups: Array<ReadonlyArray<number>> = []
      const gate = yield* Deferred.make<void>()
      const queue = yield* GroupCommit.make((items: ReadonlyArray<number>) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => groups.push(items)),
            Deferred.await(gate)
          ),
          null
        )
      )
      const first = yield* Effect.forkChild(queue.submit(0), { startImmediately: true })
      while (groups.length === 0) yield* Effect.yieldNow
      const others = yield* Effect.forEach([2, 4], (item) =>
        Effect.forkChild(queue.submit(item), { startImmediately: true })
      )
      const settled = yield* Effect.forkChild(queue.settled, { startImmediately: true })
      assert.isUndefined(first.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(settled)
      yield* Effect.forEach([first, ...others], Fiber.join)
      assert.deepStrictEqual(groups, [[0], [2, 4]])
    }).pipe(Effect.scoped)
  )

  it.effect("has nothing to settle when nothing was submitted", () =>
    Effect.gen(function* () {
      const queue = yield* GroupCommit.make(recording([]))
      yield* queue.settled
    }).pipe(Effect.scoped)
  )

  it.effect("commits an item whose fiber has gone, and everything when it closes", () =>
    Effect.gen(function* () {
      const groups: Array<ReadonlyArray<number>> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { submit } = yield* GroupCommit.make(recording(groups))
          const gone = yield* Effect.forkChild(submit(0), { startImmediately: true })
          yield* Fiber.interrupt(gone)
          yield* Effect.forkDetach(submit(2), { startImmediately: true })
        })
      )
      assert.deepStrictEqual(groups.flat(), [0, 2])
    })
  )
})
