/** Reads a provider's answer, streamed or whole, into one shape. */
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4Warning
} from "@ai-sdk/provider"

/** Most characters of text and reasoning that are kept of one answer. */
const mostCharacters = 8 * 1024 * 1024

/** An answer being read. Times are those of the clock that was passed in, ms. */
export interface Answer {
  text: string
  reasoning: string
  firstTokenAt: number | null
  readonly toolCalls: Array<unknown>
  warnings: ReadonlyArray<SharedV4Warning>
  usage: LanguageModelV4Usage | undefined
  finishReason: LanguageModelV4FinishReason | undefined
  responseId: string | null
  servedModel: string | null
  metadata: SharedV4ProviderMetadata | undefined
}

export const emptyAnswer = (): Answer => ({
  text: "",
  reasoning: "",
  firstTokenAt: null,
  toolCalls: [],
  warnings: [],
  usage: undefined,
  finishReason: undefined,
  responseId: null,
  servedModel: null,
  metadata: undefined
})

/** An answer that is too long to be kept. */
export class AnswerLimitError extends Error {
  readonly code = "ARENA_BODY_LIMIT"
}

const checkSize = (answer: Answer): void => {
  if (answer.text.length + answer.reasoning.length > mostCharacters) {
    throw new AnswerLimitError("the answer is longer than 8 Mi characters")
  }
}

const parsedInput = (input: string): unknown => {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

const toolCall = (part: Extract<LanguageModelV4Content, { type: "tool-call" }>): unknown => ({
  id: part.toolCallId,
  name: part.toolName,
  input: parsedInput(part.input)
})

const setMetadata = (answer: Answer, part: { readonly id?: string; readonly modelId?: string }): void => {
  answer.responseId = part.id ?? answer.responseId
  answer.servedModel = part.modelId ?? answer.servedModel
}

const addPart = (answer: Answer, part: LanguageModelV4StreamPart, now: () => number): void => {
  switch (part.type) {
    case "text-delta":
      answer.firstTokenAt ??= now()
      answer.text += part.delta
      checkSize(answer)
      return
    case "reasoning-delta":
      answer.firstTokenAt ??= now()
      answer.reasoning += part.delta
      checkSize(answer)
      return
    case "tool-input-start":
      answer.firstTokenAt ??= now()
      return
    case "tool-call":
      answer.firstTokenAt ??= now()
      answer.toolCalls.push(toolCall(part))
      return
    case "stream-start":
      answer.warnings = part.warnings
      return
    case "response-metadata":
      setMetadata(answer, part)
      return
    case "finish":
      answer.usage = part.usage
      answer.finishReason = part.finishReason
      answer.metadata = part.providerMetadata
      return
    case "error":
      throw part.error
  }
}

/** Reads a stream to its end into `answer`, telling of each part; throws what the stream fails with or reports. */
export const readStream = async (
  stream: ReadableStream<LanguageModelV4StreamPart>,
  answer: Answer,
  now: () => number,
  onPart: () => void
): Promise<void> => {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      onPart()
      addPart(answer, next.value, now)
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

/** Takes an answer that arrived whole; its time to the first token stays unknown. */
export const readWhole = (result: LanguageModelV4GenerateResult, answer: Answer): void => {
  for (const part of result.content) {
    if (part.type === "text") answer.text += part.text
    if (part.type === "reasoning") answer.reasoning += part.text
    if (part.type === "tool-call") answer.toolCalls.push(toolCall(part))
  }
  answer.warnings = result.warnings
  answer.usage = result.usage
  answer.finishReason = result.finishReason
  answer.metadata = result.providerMetadata
  if (result.response !== undefined) setMetadata(answer, result.response)
  checkSize(answer)
}
