import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** How long a program may take to end after SIGTERM before it is killed, ms. */
const graceMs = 1000
/** How long the system may take to clear away what was killed, ms. */
const reapMs = 500
/** How often it is looked for meanwhile, ms. */
const pollMs = 20

const isWindows = process.platform === "win32"

/** Sends a signal to a program and all its descendants that stayed in its group; false when there is none left. */
const send = (leader: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(isWindows ? leader : -leader, signal)
  } catch {
    return false
  }
}

/** Processes end in real time, whatever clock the run has. */
const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())

/** Waits until nobody of a group is left, or for so long. */
const untilGone = (leader: number, limitMs: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    limitMs > 0 && send(leader, 0)
      ? Effect.andThen(Effect.sleep(pollMs), untilGone(leader, limitMs - pollMs))
      : Effect.void
  )

/** The process groups of the programs that one connector has started and that may still be alive. */
export interface ProcessGroups {
  readonly add: (leader: number) => void
  /** SIGTERM after `delayMs`, SIGKILL after a grace period; completes when nobody of the group is left. */
  readonly end: (leader: number, delayMs?: number) => Effect.Effect<void>
  /** The same in the background: whoever is interrupted does not wait for it. */
  readonly abandon: (leader: number) => Effect.Effect<void>
}

/** Leaders of all groups of this process, which must not outlive it whichever way it exits. */
const alive = new Set<number>()
let isListening = false

const killAllOnExit = (): void => {
  if (isListening) return
  isListening = true
  process.on("exit", () => {
    for (const leader of alive) send(leader, "SIGKILL")
  })
}

/**
 * Keeps the groups of a scope. When the scope closes, and when this process exits before that, whatever is left of them
 * is ended: no program outlives the run that started it.
 */
export const makeProcessGroups = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const leaders = new Set<number>()
  killAllOnExit()

  const end = (leader: number, delayMs = 0) =>
    Effect.gen(function* () {
      if (delayMs > 0) yield* Effect.sleep(delayMs)
      send(leader, "SIGTERM")
      yield* untilGone(leader, graceMs)
      if (send(leader, "SIGKILL")) yield* untilGone(leader, reapMs)
      leaders.delete(leader)
      alive.delete(leader)
    }).pipe(inRealTime)

  yield* Scope.addFinalizer(
    scope,
    Effect.suspend(() =>
      Effect.forEach([...leaders], (leader) => end(leader), { concurrency: "unbounded", discard: true })
    )
  )
  return {
    add: (leader) => {
      leaders.add(leader)
      alive.add(leader)
    },
    end,
    abandon: (leader) =>
      Effect.suspend(() => {
        send(leader, "SIGTERM")
        return Effect.asVoid(Effect.forkIn(end(leader), scope))
      })
  } satisfies ProcessGroups
})
