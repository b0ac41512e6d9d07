import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { namedRun } from "../commands/flags.ts"
import type { RetryInput } from "../commands/retry.ts"
import { runProject } from "./run.ts"

/** `arena retry`. What is asked again is said by the flags; errors when none is given. */
export const retryRun = Effect.fn("arena.retry")(function* (words: RetryInput) {
  const input = namedRun(words)
  const isSpecific = input.failed || input.cases.length > 0
  const repeat = { errors: input.errors || !isSpecific, failed: input.failed, cases: new Set(input.cases) }
  const resume = Option.orElseSome(input.run, () => "latest")
  yield* runProject({ ...input, cases: [], resume, reuse: Option.none(), keepErrors: !repeat.errors }, repeat)
})
