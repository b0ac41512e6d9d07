import type { Cell } from "@agent-arena/core/domain/CallResult"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { namedRun } from "../commands/flags.ts"
import type { RetryInput } from "../commands/retry.ts"
import { CommandError } from "../process/Failure.ts"
import { runProject } from "./run.ts"

/** `CONTESTANT/CASE/TRIAL`; only ids of cases may hold slashes themselves. */
const cellOf = (word: string): Effect.Effect<Cell, CommandError> => {
  const [, contestant, caseId, trial] = /^([^/]+)\/(.+)\/([1-9]\d{0,8})$/.exec(word) ?? []
  if (contestant !== undefined && caseId !== undefined && trial !== undefined) {
    return Effect.succeed({
      contestant: ContestantKey.make(contestant),
      caseId: CaseId.make(caseId),
      trial: Number(trial)
    })
  }
  const message = `--cells ${word}: a cell is CONTESTANT/CASE/TRIAL`
  return Effect.fail(new CommandError({ kind: "usage", message, suggestion: "for example --cells haiku/refund_3/1" }))
}

/** `arena retry`. What is asked again is said by the flags; errors when none is given. */
export const retryRun = Effect.fn("arena.retry")(function* (words: RetryInput) {
  const input = namedRun(words)
  const cells = yield* Effect.forEach(input.cells, cellOf)
  const isSpecific = input.failed || input.cases.length > 0 || cells.length > 0
  const repeat = { errors: input.errors || !isSpecific, failed: input.failed, cases: new Set(input.cases), cells }
  const resume = Option.orElseSome(input.run, () => "latest")
  yield* runProject(
    { ...input, cases: [], resume, reuse: Option.none(), keepErrors: !repeat.errors },
    { repeat, onlyToAsk: true }
  )
})
