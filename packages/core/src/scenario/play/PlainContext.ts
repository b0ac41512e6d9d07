/** Contexts for plays outside a run. */
import * as Effect from "effect/Effect"
import type { CellContext } from "../../domain/Generation.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { CaseId, ContestantKey } from "../../domain/Ids.ts"
import { defaultWaitMs } from "../cache/AnswerCache.ts"
import { defaultThreshold } from "../trace/MaterialiseTrace.ts"
import { noFunctions } from "./Functions.ts"
import type { PlayContext } from "./PlayContext.ts"

/** What scorers are told of a play outside a run; calls through the arena are not possible there. */
export const plainCell = (scenario: string, contestant: string, replicate: number | null): CellContext => ({
  contestant: ContestantKey.make(contestant),
  caseId: CaseId.make(scenario),
  trial: replicate ?? 1,
  attempt: 1,
  tags: [],
  metadata: {},
  generate: (name) =>
    Effect.fail(
      GenerationErrors.make({
        reason: "not_found",
        detail: `${name} cannot be called: there is no run around this play`
      })
    )
})

/** A context with everything unset but what is given. */
export const plainContext = (
  fields: Pick<PlayContext, "contestant" | "respond"> & Partial<PlayContext> & { readonly scenario: string }
): PlayContext => {
  const { scenario, ...rest } = fields
  return {
    judge: null,
    replicate: null,
    system: null,
    permit: null,
    ask: null,
    cell: plainCell(scenario, fields.contestant, fields.replicate ?? null),
    functions: noFunctions,
    cache: null,
    cacheWaitMs: defaultWaitMs,
    replay: null,
    replayFits: null,
    onReplay: null,
    workspace: null,
    traceThreshold: defaultThreshold,
    onTurn: null,
    outOfTime: () => false,
    inTime: null,
    ...rest
  }
}
