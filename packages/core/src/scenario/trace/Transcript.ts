/** A conversation as structured entries, and as the lines that are handed to the next agent. */
import { userLabel } from "../model/Scenario.ts"
import { toolNames } from "../state/TurnFields.ts"

/** A piece of what an agent did. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: "tool_result"; readonly name: string; readonly text: string }

/** One entry of the log. What the scenario says has the role `user` and the label `__user__`. */
export interface LogEntry {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly agent: string
  readonly blocks: ReadonlyArray<Block>
}

const text = (value: string): ReadonlyArray<Block> => [{ type: "text", text: value }]

export const userEntry = (question: string): LogEntry => ({ role: "user", agent: userLabel, blocks: text(question) })

export const systemEntry = (agent: string, system: string): LogEntry => ({
  role: "system",
  agent,
  blocks: text(system)
})

const inputOf = (call: unknown): Readonly<Record<string, unknown>> => {
  if (typeof call !== "object" || call === null) return {}
  const input = ["input", "args", "arguments"].map((key) => Reflect.get(call, key)).find((value) => value !== undefined)
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return { ...input }
  return input === undefined ? {} : { input }
}

const fieldOf = (value: unknown, names: ReadonlyArray<string>): unknown =>
  typeof value === "object" && value !== null
    ? names.map((name) => Reflect.get(value, name)).find((field) => field !== undefined)
    : undefined

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const idOf = (value: unknown): unknown => fieldOf(value, ["id", "toolCallId", "tool_call_id", "callId", "call_id"])

const nameOf = (value: unknown): string => toolNames([value])[0] ?? "unknown"

const callOf = (call: unknown): Block => ({ type: "tool_use", name: nameOf(call), input: inputOf(call) })

/** A result that is a mapping says what it is in `output`, `result`, `content` or `text`; anything else is it. */
const resultOf = (result: unknown, name: string): Block => ({
  type: "tool_result",
  name,
  text: textOf(fieldOf(result, ["output", "result", "content", "text"]) ?? result)
})

/** Calls, each followed by its result: the one with its id, else the one at its place; results of no call come last. */
const toolBlocks = (calls: ReadonlyArray<unknown>, results: ReadonlyArray<unknown>): ReadonlyArray<Block> => {
  if (results.length === 0) return calls.map(callOf)
  const left = new Set(results.keys())
  const indexFor = (call: unknown, place: number): number | undefined => {
    const id = idOf(call)
    const byId = id === undefined ? undefined : [...left].find((index) => idOf(results[index]) === id)
    return byId ?? (left.has(place) && idOf(results[place]) === undefined ? place : undefined)
  }
  const blocks = calls.flatMap((call, place): ReadonlyArray<Block> => {
    const index = indexFor(call, place)
    if (index === undefined) return [callOf(call)]
    left.delete(index)
    return [callOf(call), resultOf(results[index], nameOf(call))]
  })
  return [...blocks, ...[...left].map((index) => resultOf(results[index], nameOf(results[index])))]
}

/** What an agent answered: the tools it called with what they returned, then its words. */
export const answerEntry = (
  agent: string,
  output: string,
  toolCalls: ReadonlyArray<unknown>,
  toolResults: ReadonlyArray<unknown> = []
): LogEntry => ({
  role: "assistant",
  agent,
  blocks: [...toolBlocks(toolCalls, toolResults), { type: "text", text: output }]
})

const bodyOf = (block: Block): string => {
  if (block.type !== "tool_use") return block.text
  const args = Object.entries(block.input).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `${block.name}(${args.join(", ")})`
}

const labelOf = ({ agent, role }: LogEntry, { type }: Block): string =>
  agent === userLabel ? `[${userLabel}]` : `[${agent}:${type === "tool_result" ? "tool" : role}:${type}]`

/** One line for each block, labelled with who it is from; empty for an empty log. */
export const transcript = (log: ReadonlyArray<LogEntry>): string =>
  log.flatMap((entry) => entry.blocks.map((block) => `${labelOf(entry, block)} ${bodyOf(block)}`)).join("\n")

/** What one question led to: the system prompt in force, the question, and what the agent did. */
export interface TraceTurn {
  readonly system: { readonly agent: string; readonly text: string } | null
  /** Null for what an agent did before any question. */
  readonly user: string | null
  readonly agent: string
  readonly blocks: ReadonlyArray<Block>
}

const plainText = (entry: LogEntry): string => entry.blocks.map(bodyOf).join("\n")

/** The log by turns. A system prompt belongs to the turn that follows it; the last one may stand alone. */
export const turnsOf = (log: ReadonlyArray<LogEntry>): ReadonlyArray<TraceTurn> => {
  const turns: Array<TraceTurn> = []
  let system: TraceTurn["system"] = null
  for (const entry of log) {
    const last = turns.at(-1)
    if (entry.role === "system") system = { agent: entry.agent, text: plainText(entry) }
    else if (entry.role === "user") {
      turns.push({ system, user: plainText(entry), agent: "unknown", blocks: [] })
      system = null
    } else if (last === undefined || (last.blocks.length === 0 && last.agent === "unknown")) {
      const open = last ?? { system, user: null, agent: "unknown", blocks: [] }
      if (last === undefined) system = null
      turns.splice(Math.max(0, turns.length - 1), 1, { ...open, agent: entry.agent, blocks: entry.blocks })
    } else turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...entry.blocks] }
  }
  if (system !== null) turns.push({ system, user: null, agent: system.agent, blocks: [] })
  return turns
}
