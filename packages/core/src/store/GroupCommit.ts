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
  /** What is submitted and not settled. */
  readonly pending: () => ReadonlyArray<A>
}

/** Writes a group and says how each item fared: null = all are durable, else one outcome an item. */
export type Commit<A> = (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<StoreError | null> | null>

interface Entry<A> {
  readonly item: A
  readonly resume: (outcome: Effect.Effect<void, StoreError>) => void
}

/** Larger groups gain nothing and hold the event loop longer. */
const maxGroup = 256

/** The items that wait, and who waits for them. */
const makeQueue = <A>() => {
  let entries: Array<Entry<A>> = []
  let taken: ReadonlyArray<Entry<A>> = []
  let wake: (() => void) | null = null
  let onSettled: Array<() => void> = []
  const unpark = () => {
    const resume = wake
    wake = null
    resume?.()
  }
  return {
    isEmpty: () => entries.length === 0,
    add: (entry: Entry<A>) => {
      entries.push(entry)
      if (wake !== null) unpark()
    },
    take: (): ReadonlyArray<Entry<A>> => {
      const group = entries.length <= maxGroup ? entries : entries.slice(0, maxGroup)
      entries = entries.length <= maxGroup ? [] : entries.slice(maxGroup)
      taken = group
      return group
    },
    settle: (group: ReadonlyArray<Entry<A>>, outcomes: ReadonlyArray<StoreError | null> | null) => {
      taken = []
      for (const [index, entry] of group.entries()) {
        const error = outcomes?.[index] ?? null
        entry.resume(error === null ? Effect.void : Effect.fail(error))
      }
      if (entries.length > 0) return
      const waiting = onSettled
      onSettled = []
      for (const done of waiting) done()
    },
    /** Waits for the next item, or for `unpark`. */
    park: Effect.callback<void>((resume) => {
      wake = () => resume(Effect.void)
    }),
    unpark,
    settled: Effect.callback<void>((resume) => {
      if (entries.length === 0 && taken.length === 0) resume(Effect.void)
      else onSettled.push(() => resume(Effect.void))
    }),
    pending: (): ReadonlyArray<A> => [...taken, ...entries].map(({ item }) => item)
  }
}

/** Closing the scope commits what is pending first. */
export const make = <A>(commit: Commit<A>): Effect.Effect<GroupCommit<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = makeQueue<A>()
    let closing = false
    const loop = Effect.gen(function* () {
      while (true) {
        if (queue.isEmpty()) {
          if (closing) return
          yield* queue.park
        }
        // Lets the other fibers that are ready in this tick submit before the transaction begins.
        yield* Effect.yieldNow
        if (queue.isEmpty()) continue
        const group = queue.take()
        queue.settle(group, yield* commit(group.map((entry) => entry.item)))
      }
    })
    // Detached: it ends when the scope closes and the queue is empty, not when somebody is interrupted.
    const fiber = yield* Effect.forkDetach(loop, { startImmediately: true })
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        queue.unpark()
        return Fiber.await(fiber)
      })
    )
    return {
      submit: (item) => Effect.callback<void, StoreError>((resume) => queue.add({ item, resume })),
      settled: queue.settled,
      pending: queue.pending
    }
  })
