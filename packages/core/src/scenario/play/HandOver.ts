/** How a conversation reaches the next node. Works on the structured log; no text is ever read back. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Message } from "../../domain/Message.ts"
import type { Handover } from "../model/Scenario.ts"
import { frozen } from "../state/LiveState.ts"
import { materialiseTrace, transcriptDigest } from "../trace/MaterialiseTrace.ts"
import { transcript } from "../trace/Transcript.ts"
import type { Session } from "./Session.ts"
import { turnFolder } from "./Workspace.ts"

/** Between a transcript and the question. */
export const separator = "\n\n---\n\n"

/** A handover that could not be made; the turn fails. */
export class HandoverError extends Schema.TaggedError<HandoverError>()("HandoverError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** What the next turn is sent. */
export interface HandedOver {
  readonly prompt: string
  /** Messages before it; null = the conversation goes on as it is. */
  readonly history: ReadonlyArray<Message> | null
}

const decodeMessages = Schema.decodeUnknownEffect(Schema.Array(Message))

const instruction = (path: string): string =>
  [
    "You are taking over a conversation. Before you answer, read this file to its end:",
    path,
    "It holds the conversation as XML elements: one <turn> for each question, with <system_prompt>, <user> and",
    "<assistant>; inside are <text>, <tool_call> and <tool_result>. Read on in parts if your reader cuts it off. An",
    'element with offloaded="true" names another file that holds its content.'
  ].join("\n")

const byFunction = (session: Session, name: string) =>
  Effect.gen(function* () {
    const run = session.context.functions.get(name)
    if (run === undefined) return yield* new HandoverError({ detail: `there is no function ${name}` })
    const failed = (cause: unknown) =>
      new HandoverError({ detail: `${name} failed: ${cause instanceof Error ? cause.message : String(cause)}` })
    const returned = yield* Effect.try({
      try: () => run(structuredClone(session.log), frozen(session.live)),
      catch: failed
    })
    // A function of the project may return an Effect of any kind; it gets no services.
    const value = Effect.isEffect(returned)
      ? yield* Effect.mapError(returned as Effect.Effect<unknown, unknown>, failed)
      : yield* Effect.tryPromise({ try: async () => await returned, catch: failed })
    return yield* Effect.mapError(
      decodeMessages(value),
      (issue) => new HandoverError({ detail: `${name} returned no list of messages: ${issue.message}` })
    )
  })

/** Applies the handover of the edge that was followed to the question of its target. */
export const handOver = Effect.fnUntraced(function* (session: Session, handover: Handover, question: string) {
  if (typeof handover === "object") {
    return { prompt: question, history: yield* byFunction(session, handover.function) } satisfies HandedOver
  }
  if (handover === "transcript_materialize") {
    const { context, live, log } = session
    const path = yield* Effect.mapError(
      materialiseTrace({
        folder: turnFolder(session),
        id: `${live.currentNode}_${transcriptDigest(log)}_handover`,
        turn: live.turn,
        log,
        threshold: context.traceThreshold
      }),
      ({ message }) => new HandoverError({ detail: message })
    )
    return { prompt: `${instruction(path)}${separator}${question}`, history: [] } satisfies HandedOver
  }
  const text = transcript(session.log)
  const prompt = handover === "transcript_prepend" ? `${text}${separator}${question}` : `${question}${separator}${text}`
  return { prompt, history: [] } satisfies HandedOver
})

/** A handover by name. */
export const handoverName = (handover: Handover | null): string | null =>
  handover === null ? null : typeof handover === "object" ? handover.function : handover
