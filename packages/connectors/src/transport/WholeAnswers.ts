/**
 * Servers that answer in one piece although a stream was asked for: small stand-ins, and gateways that ignore `stream`.
 * Their answer is paid for, so it is read as a stream of one event.
 */
import * as CallNotes from "./CallNotes.ts"
import type { Fetch } from "./Fetch.ts"

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const asDelta = (message: unknown): unknown => {
  if (!isRecord(message) || !Array.isArray(message["tool_calls"])) return message
  const calls = message["tool_calls"].map((call: unknown, index) => (isRecord(call) ? { index, ...call } : call))
  return { ...message, tool_calls: calls }
}

/** A chat completion as one chunk of a stream; anything else as it is. */
const asChunk = (document: unknown): unknown => {
  if (!isRecord(document) || !Array.isArray(document["choices"])) return document
  const choices = document["choices"].map((choice: unknown) =>
    isRecord(choice) ? { ...choice, delta: asDelta(choice["message"]) } : choice
  )
  return { ...document, choices }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const askedForStream = (init: RequestInit | undefined): boolean =>
  typeof init?.body === "string" && /"stream"\s*:\s*true/.test(init.body)

/** The same `fetch`, turning a JSON document that answers a request for a stream into one. */
export const accept =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const isJson = (response.headers.get("content-type") ?? "").includes("application/json")
    if (!response.ok || !isJson || !askedForStream(init)) return response
    const text = await response.text()
    const document = parse(text)
    const notes = CallNotes.find(init?.signal)
    if (notes !== undefined) notes.wasWhole = true
    const event = document === undefined ? text.replaceAll("\n", " ") : JSON.stringify(asChunk(document))
    const headers = new Headers(response.headers)
    headers.set("content-type", "text/event-stream")
    headers.delete("content-length")
    return new Response(`data: ${event}\n\ndata: [DONE]\n\n`, { status: response.status, headers })
  }
