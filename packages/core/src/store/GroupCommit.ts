/** Many writers, one transaction: items submitted in the same tick of the event loop are committed together. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { StoreError } from "../domain/StoreError.ts"

export interface GroupCommit<A> {
  /**
   * Completes when the item is durable. From its first step on the item is committed even if the submitting fiber is
   * interrupted. The queue needs no bound of its own: every waiting item has a fiber that waits for it.
   */
  readonly submit: (item: A) => Effect.Effect<void, StoreError>
  /** Completes when everything submitted so far is settled. */
  readonly settled: Effect.Effect<void>
}

interface Entry<A> {
  readonly item: A
  readonly resume: (outcome: Effect.Effect<void, StoreError>) => void
}

/** Larger groups gain nothing and hold the event loop longer. */
const maxGroup = 256

/**
 * `commit` writes a group and says how each item fared: null = all are durable, else one outcome an item. Closing the
 * scope commits what is pending first.
 */
export const make = <A>(
  commit: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<StoreError | null> | null>
): Effect.Effect<GroupCommit<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let queue: Array<Entry<A>> = []
    let committing = false
    let closing = false
    let wake: (() => void) | null = null
    let onSettled: Array<() => void> = []

    const park = Effect.callback<void>((resume) => {
      wake = () => resume(Effect.void)
    })
    const unpark = () => {
      const resume = wake
      wake = null
      resume?.()
    }
    const takeGroup = (): ReadonlyArray<Entry<A>> => {
      const group = queue.length <= maxGroup ? queue : queue.slice(0, maxGroup)
      queue = queue.length <= maxGroup ? [] : queue.slice(maxGroup)
      return group
    }
    const settle = () => {
      if (queue.length > 0) return
      const waiting = onSettled
      onSettled = []
      for (const done of waiting) done()
    }
    const commitGroup = Effect.fnUntraced(function* () {
      const group = takeGroup()
      committing = true
      const outcomes = yield* commit(group.map((entry) => entry.item))
      committing = false
      group.forEach((entry, index) => {
        const error = outcomes?.[index] ?? null
        entry.resume(error === null ? Effect.void : Effect.fail(error))
      })
      settle()
    })
    const loop = Effect.gen(function* () {
      while (true) {
        if (queue.length === 0) {
          if (closing) return
          yield* park
        }
        // Lets the other fibers that are ready in this tick submit before the transaction begins.
        yield* Effect.yieldNow
        if (queue.length > 0) yield* commitGroup()
      }
    })
    const fiber = yield* Effect.forkDetach(loop, { startImmediately: true })
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        unpark()
        return Fiber.await(fiber)
      })
    )
    return {
      submit: (item) =>
        Effect.callback<void, StoreError>((resume) => {
          queue.push({ item, resume })
          if (wake !== null) unpark()
        }),
      settled: Effect.callback<void>((resume) => {
        if (queue.length === 0 && !committing) resume(Effect.void)
        else onSettled.push(() => resume(Effect.void))
      })
    }
  })
