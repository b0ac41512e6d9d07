/** The databases that the screen reads, each opened once. */
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** Reads only: the screen can never fight the writer of a run for the lock. */
const open = (path: string): Effect.Effect<ResultStore["Service"], StoreError, Scope.Scope> =>
  Effect.map(Layer.build(ResultStore.layerReadOnly(path)), Context.get(ResultStore))

/** Opens the store at a path when it is first asked for; all are closed with the scope. */
export const makeStores: Effect.Effect<
  (path: string) => Effect.Effect<ResultStore["Service"], StoreError>,
  never,
  Scope.Scope
> = Effect.map(Effect.scope, (scope) => {
  const opened = new Map<string, ResultStore["Service"]>()
  return (path) => {
    const store = opened.get(path)
    if (store !== undefined) return Effect.succeed(store)
    return Effect.tap(Scope.provide(open(path), scope), (made) => Effect.sync(() => opened.set(path, made)))
  }
})
