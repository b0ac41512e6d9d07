/** A process that is stopped by job control gives the terminal back before, and takes it again after. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Suspendable {
  /** Makes the terminal as it was before the program. Called at once before the process stops. */
  readonly leave: () => void
  /** Takes the terminal again and shows everything anew. Also called after a stop that nobody announces (SIGSTOP). */
  readonly enter: () => void
}

/** Follows SIGTSTP and SIGCONT until the scope closes. Systems without job control have neither. */
export const followSuspension = ({ enter, leave }: Suspendable): Effect.Effect<void, never, Scope.Scope> => {
  if (process.platform === "win32") return Effect.void
  const suspend = (): void => {
    leave()
    // The system's own way of stopping, which also knows when nobody could ever continue the process.
    process.off("SIGTSTP", suspend)
    process.kill(process.pid, "SIGTSTP")
    process.on("SIGTSTP", suspend)
    enter()
  }
  const follow = Effect.sync(() => {
    process.on("SIGTSTP", suspend)
    process.on("SIGCONT", enter)
  })
  const forget = Effect.sync(() => {
    process.off("SIGTSTP", suspend)
    process.off("SIGCONT", enter)
  })
  return Effect.asVoid(Effect.acquireRelease(follow, () => forget))
}
