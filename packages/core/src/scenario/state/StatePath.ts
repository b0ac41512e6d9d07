/** Paths into the state of a scenario: `verify_result`, `parsed.name`, `node_results.ask.score`, `turns[-1].output`, … */
import type { NodeResult } from "../model/Turn.ts"
import type { LiveState } from "./LiveState.ts"
import { lookUp, turnField } from "./TurnFields.ts"

/** What may stand before the first dot. */
export const stateRoots: ReadonlyArray<string> = [
  "verify_result",
  "score",
  "output",
  "tool_calls",
  "turn",
  "current_node",
  "parsed",
  "accumulated",
  "node_visits",
  "node_results",
  "cost",
  "elapsed",
  "turns"
]

/** Roots that are values by themselves; the others need something after them. */
const plain: Readonly<Record<string, (state: LiveState) => unknown>> = {
  verify_result: (state) => state.verifyResult,
  score: (state) => state.score,
  output: (state) => (state.turns.length === 0 ? undefined : state.output),
  tool_calls: (state) => state.toolCalls,
  turn: (state) => state.turn,
  current_node: (state) => state.currentNode,
  cost: (state) => state.costUsd,
  elapsed: (state) => state.elapsedMs / 1_000,
  parsed: (state) => state.parsed,
  accumulated: (state) => state.accumulated
}

/** `ask.parsed.name`: the node is the longest name that fits, so that names may hold dots. */
const splitNode = (names: Iterable<string>, path: string): readonly [string, string] | null => {
  let best: string | null = null
  for (const name of names) {
    const fits = path === name || path.startsWith(`${name}.`)
    if (fits && (best === null || name.length > best.length)) best = name
  }
  return best === null ? null : [best, path.slice(best.length + 1)]
}

const ofResult = (result: NodeResult, rest: string): unknown => (rest === "" ? result : lookUp(result, rest))

const ofNode = (state: LiveState, path: string): unknown => {
  const found = splitNode(state.nodeResults.keys(), path)
  if (found === null) return undefined
  const result = state.nodeResults.get(found[0])
  if (result === undefined) return undefined
  const [, rest] = found
  // Names of fields and scorers may hold dots: `lookUp` is asked for what follows the first part as one name first.
  for (const part of ["parsed", "rubric"] as const) {
    if (rest.startsWith(`${part}.`)) return lookUp(result[part], rest.slice(part.length + 1))
  }
  return ofResult(result, rest)
}

const turnPath = /^turns\[(-?\d+)\]\.(.+)$/

/** The value at a path; undefined = there is none. Visits of a node that was never visited are 0. */
export const resolvePath = (state: LiveState, path: string): unknown => {
  const read = plain[path]
  if (read !== undefined) return read(state)
  const dot = path.indexOf(".")
  if (dot === -1) return undefined
  const rest = path.slice(dot + 1)
  switch (path.slice(0, dot)) {
    case "parsed":
      return lookUp(state.parsed, rest)
    case "accumulated":
      return lookUp(state.accumulated, rest)
    case "node_visits":
      return state.nodeVisits.get(rest) ?? 0
    case "node_results":
      return ofNode(state, rest)
  }
  const indexed = turnPath.exec(path)
  const turn = indexed === null ? undefined : state.turns.at(Number(indexed[1]))
  return turn === undefined ? undefined : turnField(turn, indexed?.[2] ?? "")
}
