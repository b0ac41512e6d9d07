import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { CallResult } from "../../domain/CallResult.ts"
import { ScenarioResult } from "../model/Turn.ts"

const decode = Schema.decodeUnknownResult(ScenarioResult)

/** The play that a cell recorded in its trace; null when the cell is an ordinary one. */
export const playOf = ({ trace }: Pick<CallResult, "trace">): ScenarioResult | null => {
  if (typeof trace !== "object" || trace === null || !("scenario" in trace)) return null
  const decoded = decode(trace.scenario)
  return Result.isSuccess(decoded) ? decoded.success : null
}
