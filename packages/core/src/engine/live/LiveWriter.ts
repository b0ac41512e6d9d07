/** Writes the live file of a run while it goes on. Nothing on the path of a cell waits for it or pays for it. */
import { renameSync, writeFileSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RunEvent } from "../../domain/RunEvent.ts"
import { beforeExit } from "../../store/ExitSpill.ts"
import { removeLiveFile, temporaryOf } from "../../store/LiveFile.ts"
import { type LiveDocument, type LiveFacts, type LiveState, liveVersion } from "./LiveState.ts"

/** A run that is over sooner never writes one, ms. */
const firstMs = 500
const everyMs = 250

/** Writing may take a fiftieth of the time: a slow disk is asked less often. */
const share = 50

/** Messages of providers may hold whole pages. */
const longestMessage = 500

const shortened = (event: RunEvent): RunEvent =>
  event._tag === "AttemptFailed" && event.error.message.length > longestMessage
    ? { ...event, error: { ...event.error, message: `${event.error.message.slice(0, longestMessage)}…` } }
    : event

/** Readers see the whole document or the one before. A disk that is full or a folder that refuses must not matter. */
const write = (file: string, document: LiveDocument): void => {
  try {
    // Only for the owner: messages may be private.
    writeFileSync(temporaryOf(file), JSON.stringify(document), { mode: 0o600 })
    renameSync(temporaryOf(file), file)
  } catch {
    removeLiveFile(temporaryOf(file))
  }
}

/** What has to differ for the file to be worth writing again; time alone is not. */
const markOf = ({ inFlight, snapshot }: LiveState): string =>
  `${snapshot.seq} ${snapshot.phase} ${inFlight.length} ${snapshot.counts.finished} ${snapshot.inFlight}`

/** Keeps the file true until it is interrupted, and takes it away then, or when the process exits. Never fails. */
export const keepLiveFile = (file: string, facts: LiveFacts, live: Effect.Effect<LiveState>): Effect.Effect<void> =>
  Effect.suspend(() => {
    let written = ""
    const remove = (): void => {
      removeLiveFile(file)
      removeLiveFile(temporaryOf(file))
    }
    const forget = beforeExit(remove)
    const tick = Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const state = yield* live
      const mark = markOf(state)
      if (mark !== written) {
        written = mark
        write(file, { v: liveVersion, at: start, ...facts, ...state, events: state.events.map(shortened) })
      }
      const cost = (yield* Clock.currentTimeMillis) - start
      yield* Effect.sleep(Math.max(everyMs, cost * share))
    })
    return Effect.sleep(firstMs).pipe(
      Effect.andThen(Effect.forever(tick)),
      Effect.ensuring(
        Effect.sync(() => {
          remove()
          forget()
        })
      )
    )
  })
