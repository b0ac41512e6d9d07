/** The runs that are open: each with its own scope, followed while it goes on, a few of the past kept at hand. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { makeOpenRun, type OpenRun } from "../run/OpenRun.ts"
import type { Refusal, RunSource } from "../run/RunSource.ts"
import { follow } from "./Follow.ts"

interface Shelf {
  readonly run: OpenRun
  readonly scope: Scope.Closeable
}

export interface Library {
  readonly get: (id: string) => OpenRun | undefined
  /**
   * Opens a run and follows it in the background. `onEnd` is called when it is over and everything about it was read,
   * `onTrouble` when it cannot be followed any more.
   */
  readonly open: (
    source: Effect.Effect<RunSource, Refusal, Scope.Scope>,
    notify: { readonly onEnd: (run: OpenRun) => void; readonly onTrouble: (message: string) => void }
  ) => Effect.Effect<OpenRun, Refusal>
  /** Closes runs that are not among these, but for the ones opened last. */
  readonly tidy: (needed: ReadonlySet<string>) => Effect.Effect<void>
}

const kept = 6

export const makeLibrary = (changed: () => void): Effect.Effect<Library, never, Scope.Scope> =>
  Effect.gen(function* () {
    const parent = yield* Effect.scope
    const shelves = new Map<string, Shelf>()
    const open: Library["open"] = (source, notify) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(parent)
        const opened = yield* Scope.provide(source, scope).pipe(
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        const run = makeOpenRun(opened)
        const before = shelves.get(run.model.id)
        shelves.set(run.model.id, { run, scope })
        if (before !== undefined) yield* Scope.close(before.scope, Exit.void)
        yield* follow(run, changed).pipe(
          Effect.andThen(Effect.sync(() => notify.onEnd(run))),
          Effect.catch((refused) =>
            Effect.sync(() => {
              run.lost = true
              notify.onTrouble(refused.message)
            })
          ),
          Effect.forkIn(scope)
        )
        return run
      })
    return {
      get: (id) => shelves.get(id)?.run,
      open,
      tidy: (needed) =>
        Effect.gen(function* () {
          for (const [id, { scope }] of [...shelves]) {
            if (shelves.size <= kept) return
            if (needed.has(id)) continue
            shelves.delete(id)
            yield* Scope.close(scope, Exit.void)
          }
        })
    }
  })
