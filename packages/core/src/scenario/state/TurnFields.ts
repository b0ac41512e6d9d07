/** Fields of a recorded turn, under the names that conditions, templates and outcomes use. */
import type { TurnRecord } from "../model/Turn.ts"

/** Names of the tools that were called, as far as the provider's records tell. */
export const toolNames = (toolCalls: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  toolCalls.flatMap((call) => {
    if (typeof call === "string") return [call]
    if (typeof call !== "object" || call === null) return []
    const name = ["toolName", "name", "tool"]
      .map((key) => Reflect.get(call, key))
      .find((one) => typeof one === "string")
    return typeof name === "string" ? [name] : []
  })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `a.b` in a mapping: the key of that very name, else nested; a number means an item of a list. */
export const lookUp = (value: unknown, path: string): unknown => {
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path]
  let found: unknown = value
  for (const part of path.split(".")) {
    if (Array.isArray(found) && /^-?\d+$/.test(part)) found = found.at(Number(part))
    else if (isRecord(found) && Object.hasOwn(found, part)) found = found[part]
    else return undefined
  }
  return found
}

/** A scorer's reason is not among them: it may quote the expected answer. */
const parts: Readonly<Record<string, (turn: TurnRecord) => unknown>> = {
  verify_result: (turn) => turn.verifyResult,
  score: (turn) => turn.score,
  output: (turn) => turn.output ?? undefined,
  raw_response: (turn) => turn.output ?? undefined,
  question: (turn) => turn.question,
  question_text: (turn) => turn.question,
  prompt: (turn) => turn.prompt,
  node: (turn) => turn.node,
  node_id: (turn) => turn.node,
  agent: (turn) => turn.agent,
  contestant: (turn) => turn.contestant,
  index: (turn) => turn.index,
  visit: (turn) => turn.visit,
  parsed_fields: (turn) => turn.parsed,
  tool_calls: (turn) => toolNames(turn.toolCalls),
  cost: (turn) => turn.costUsd,
  latency: (turn) => turn.latencyMs,
  error: (turn) => turn.error
}

/** Names of the fields of a turn. */
export const turnFields: ReadonlyArray<string> = [...Object.keys(parts), "parsed", "rubric"]

/** The value of a field; undefined = there is none. */
export const turnField = (turn: TurnRecord, path: string): unknown => {
  const read = parts[path]
  if (read !== undefined) return read(turn)
  const dot = path.indexOf(".")
  if (dot === -1) return undefined
  const rest = path.slice(dot + 1)
  switch (path.slice(0, dot)) {
    case "parsed":
      return lookUp(turn.parsed, rest)
    case "rubric":
      return turn.scores.find(({ scorer }) => scorer === rest)?.score
    default:
      return undefined
  }
}
