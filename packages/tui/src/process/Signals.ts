/** The signals that end the program in order. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP"

/** The one object that `bin/arena.js` shares with the program: whoever holds `listener` receives the next signal. */
export interface SignalSource {
  listener: (name: SignalName) => void
}

/** Exit code of a process that ended because of a signal: 130 for Ctrl-C, 124 when its time was up. */
export const signalExitCode: Readonly<Record<SignalName, 124 | 130>> = { SIGINT: 130, SIGTERM: 124, SIGHUP: 124 }

/** Why a run that a signal has ended stopped. */
export const stopRequestOf = (name: SignalName): "interrupted" | "deadline" =>
  name === "SIGINT" ? "interrupted" : "deadline"

/** What the program does about a signal. */
export type SignalAction =
  /** Ask for a graceful end; what is in flight drains. */
  | "stop"
  /** A graceful end that is going on must be over after the short drain of TERM. */
  | "hurry"
  /** Interrupt what is in flight. */
  | "interrupt"
  /** Leave at once. */
  | "exit"
  | "ignore"

/** How far the ending has gone, and the signal that began it (it decides the exit code). */
export interface SignalState {
  readonly first: SignalName | null
  readonly stage: "running" | "stopping" | "hurrying" | "interrupting"
}

export const initialSignalState: SignalState = { first: null, stage: "running" }

/**
 * Ctrl-C once stops gracefully, twice interrupts, three times leaves. TERM and HUP stop gracefully under the short
 * drain, and a repetition changes nothing: the sender's own deadline goes on. A TERM after Ctrl-C cuts the long drain
 * of the first down to the short one.
 */
export const onSignal = (state: SignalState, name: SignalName): readonly [SignalState, SignalAction] => {
  const first = state.first ?? name
  if (state.stage === "running") return [{ first, stage: name === "SIGINT" ? "stopping" : "hurrying" }, "stop"]
  if (name === "SIGINT") {
    return state.stage === "interrupting" ? [state, "exit"] : [{ first, stage: "interrupting" }, "interrupt"]
  }
  return state.stage === "stopping" ? [{ first, stage: "hurrying" }, "hurry"] : [state, "ignore"]
}
