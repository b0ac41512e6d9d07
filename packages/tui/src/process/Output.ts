import type { Style } from "@agent-arena/core/report/Style"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** What is known about one of the two output streams. */
export interface OutputChannel {
  readonly isTerminal: boolean
  /** Columns of the terminal; null when it is none. */
  readonly columns: number | null
  /** Rows of the terminal; null when it is none. */
  readonly rows: number | null
  readonly style: Style
  /** Completes when the text is handed over; does nothing once the reader is gone (`arena … | head`). */
  readonly write: (text: string) => Effect.Effect<void>
}

/** The two streams of the process. stdout carries the result and nothing else; everything else goes to stderr. */
export class Output extends Context.Service<
  Output,
  {
    readonly stdout: OutputChannel
    readonly stderr: OutputChannel
    /** Writes a long result piece by piece; stops reading it when the reader is gone. */
    readonly pipe: <E, R>(chunks: Stream.Stream<string, E, R>) => Effect.Effect<void, E, R>
  }
>()("@agent-arena/tui/process/Output") {}
