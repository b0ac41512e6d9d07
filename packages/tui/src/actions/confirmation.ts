import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"

export interface Question {
  /** What would happen, without a full stop. */
  readonly what: string
  /** The question after it. */
  readonly ask: string
  /** What to do instead, or how to say yes beforehand. */
  readonly otherwise: string
  /** Whether `--yes` was given. */
  readonly yes: boolean
  /** Whether stdout is for one document: then nobody is asked. */
  readonly json: boolean
}

const refuse = (message: string, suggestion: string) => new CommandError({ kind: "confirmation", message, suggestion })

/** Asks a person at a terminal; without one it refuses unless told `--yes`. Completes when the answer is yes. */
export const confirm = Effect.fnUntraced(function* ({ ask, json, otherwise, what, yes }: Question) {
  if (yes) return
  const { stdout } = yield* Output
  if (json || !stdout.isTerminal || process.stdin.isTTY !== true) {
    return yield* refuse(what, "--yes to do it all the same")
  }
  const answer = Prompt.run(Prompt.Confirm({ message: `${what}. ${ask}`, initial: false }))
  const said = yield* Effect.catchTag(answer, "QuitError", () => Effect.succeed(false))
  if (!said) return yield* refuse("not confirmed; nothing was done", otherwise)
})
