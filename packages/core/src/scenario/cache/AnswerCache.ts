import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** What the cache says of a key: take it, it is yours to make, or somebody is making it. */
export type Reservation<A> =
  | { readonly _tag: "Hit"; readonly value: A }
  | { readonly _tag: "Miss" }
  | { readonly _tag: "InProgress" }

export interface CacheStats {
  readonly hits: number
  readonly misses: number
  /** Times that an answer was found to be in the making. */
  readonly waits: number
  readonly timeouts: number
}

type Slot<A> = { readonly done: Deferred.Deferred<void>; state: "open" | "failed" | { readonly value: A } }

/** How long another play's answer is waited for before it is asked for anew, ms. */
export const defaultWaitMs = 5_000

/**
 * Answers shared by the plays of one batch. Only an answer completes a slot: a failure frees it for the next one who
 * asks, and so does an interruption. Nothing is held while waiting.
 */
export class AnswerCache<A> {
  readonly #slots = new Map<string, Slot<A>>()
  #hits = 0
  #misses = 0
  #waits = 0
  #timeouts = 0

  get stats(): CacheStats {
    return { hits: this.#hits, misses: this.#misses, waits: this.#waits, timeouts: this.#timeouts }
  }

  /** Keys that somebody is making right now. */
  get reserved(): ReadonlyArray<string> {
    return [...this.#slots].flatMap(([key, { state }]) => (state === "open" ? [key] : []))
  }

  /** Never waits: a miss reserves the key for the caller, who must `complete` or `release` it. */
  getOrReserve(key: string): Reservation<A> {
    const slot = this.#slots.get(key)
    if (slot !== undefined && typeof slot.state === "object") {
      this.#hits += 1
      return { _tag: "Hit", value: slot.state.value }
    }
    if (slot !== undefined && slot.state === "open") {
      this.#waits += 1
      return { _tag: "InProgress" }
    }
    this.#misses += 1
    this.#slots.set(key, { done: Deferred.makeUnsafe<void>(), state: "open" })
    return { _tag: "Miss" }
  }

  /** Whether the answer was completed, failed or released within `ms`; at once when nobody is making it. */
  waitFor(key: string, ms: number = defaultWaitMs): Effect.Effect<boolean> {
    const slot = this.#slots.get(key)
    if (slot === undefined || slot.state !== "open") return Effect.succeed(true)
    return Effect.map(Effect.timeoutOption(Deferred.await(slot.done), ms), (done) => {
      if (Option.isNone(done)) this.#timeouts += 1
      return Option.isSome(done)
    })
  }

  /** Keeps an answer and wakes all who wait for it. */
  complete(key: string, value: A): void {
    this.#settle(key, { value })
  }

  /** The answer could not be made: whoever asks next makes it. */
  fail(key: string): void {
    this.#settle(key, "failed")
  }

  /** Forgets a key, whatever its state; those who wait ask again. */
  release(key: string): void {
    const slot = this.#slots.get(key)
    this.#slots.delete(key)
    if (slot !== undefined) Deferred.doneUnsafe(slot.done, Effect.void)
  }

  #settle(key: string, state: Slot<A>["state"]): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    slot.state = state
    Deferred.doneUnsafe(slot.done, Effect.void)
  }
}

const made = <A, E, R>(cache: AnswerCache<A>, key: string, make: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onExit(make, (exit) =>
    Effect.sync(() => {
      if (Exit.isSuccess(exit)) cache.complete(key, exit.value)
      else if (Exit.hasInterrupts(exit)) cache.release(key)
      else cache.fail(key)
    })
  )

/**
 * The kept answer, else the one that `make` gives, which is then kept. An answer in the making is waited for; when it
 * takes longer than `waitMs`, this caller makes its own and keeps it to itself. An interruption at any point leaves no
 * key reserved.
 */
export const through = <A, E, R>(
  cache: AnswerCache<A>,
  key: string,
  make: Effect.Effect<A, E, R>,
  waitMs: number = defaultWaitMs
): Effect.Effect<{ readonly value: A; readonly hit: boolean }, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let found = cache.getOrReserve(key)
      while (found._tag === "InProgress" && (yield* restore(cache.waitFor(key, waitMs)))) {
        found = cache.getOrReserve(key)
      }
      switch (found._tag) {
        case "Hit":
          return { value: found.value, hit: true }
        case "Miss":
          return { value: yield* made(cache, key, restore(make)), hit: false }
        default:
          return { value: yield* restore(make), hit: false }
      }
    })
  )
