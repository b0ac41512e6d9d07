/** What came of a call, in the arena's words. */
import * as HttpErrors from "@agent-arena/core/connector/HttpErrors"
import * as Generation from "@agent-arena/core/domain/Generation"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import * as ResponseHeaders from "../transport/ResponseHeaders.ts"
import type { Call, ExtraParams } from "./Call.ts"
import type * as Collect from "./Collect.ts"
import * as Settings from "./Settings.ts"
import * as Usage from "./Usage.ts"

const finishName = (answer: Collect.Answer): string | null => {
  const finish = answer.finishReason
  if (finish === undefined) return null
  return finish.unified === "other" ? (finish.raw ?? "other") : finish.unified.replace("-", "_")
}

/** Why an answer that ended without an error is still not one; null = it is. */
const defect = (answer: Collect.Answer): Pick<GenerationError.GenerationError, "reason" | "detail"> | null => {
  const empty = answer.text === "" && answer.toolCalls.length === 0
  switch (answer.finishReason?.unified) {
    case undefined:
    case "interrupted":
      return { reason: "truncated", detail: "the answer ended without a finish reason" }
    case "error":
      return { reason: "unknown", detail: "the provider ended the answer with an error" }
    case "content-filter":
      return empty ? { reason: "content_filtered", detail: "the answer was filtered out" } : null
    default:
      return null
  }
}

/** The error of an answer that is none, with what it cost; null = it is one. */
export const defectError = (call: Call): GenerationError.GenerationError | null => {
  const found = defect(call.answer)
  if (found === null) return null
  const requestId = HttpErrors.requestId(call.notes.response?.headers ?? {})
  const { usage } = call.answer
  return GenerationError.make({
    ...found,
    requestId,
    ...(usage === undefined ? {} : { usage: Usage.fromAiSdk(usage) })
  })
}

/**
 * Params that went into the package's own options and did not come out of it: packages leave out what they do not know
 * without a word. Empty when the package does not show its request.
 */
const unsent = (call: Call, extras: ExtraParams): ReadonlyArray<string> => {
  if (extras._tag === "Body" || call.sent === undefined) return []
  const text = (typeof call.sent === "string" ? call.sent : JSON.stringify(call.sent)).replaceAll("_", "").toLowerCase()
  return Object.keys(call.settings.extras).filter(
    (name) => !text.includes(`"${name.replaceAll("_", "").toLowerCase()}"`)
  )
}

/** The answer with everything the provider said about it. `costUsd` is what the provider itself reported. */
export const toGeneration = (
  call: Call,
  extras: ExtraParams,
  costUsd: number | null,
  nowMs: number
): Generation.Generation => {
  const { answer, settings } = call
  const headers = call.notes.response?.headers ?? {}
  const quota = ResponseHeaders.parseQuota(headers, nowMs)
  const { applied, dropped } = Settings.outcome(settings.names, answer.warnings, unsent(call, extras))
  return Generation.make({
    text: answer.text,
    reasoning: answer.reasoning === "" ? null : answer.reasoning,
    servedModel: answer.servedModel,
    usage: Usage.fromAiSdk(answer.usage),
    costUsd,
    timeToFirstTokenMs:
      answer.firstTokenAt === null || call.notes.wasWhole ? null : answer.firstTokenAt - call.startedAt,
    finishReason: finishName(answer),
    responseId: answer.responseId,
    requestId: HttpErrors.requestId(headers),
    toolCalls: answer.toolCalls,
    settingsApplied: applied,
    settingsDropped: dropped,
    ...(quota === null ? {} : { quota })
  })
}
