import type { NodeResult, ScenarioState, TurnRecord } from "../model/Turn.ts"
import { toolNames } from "./TurnFields.ts"

/** The state of a scenario while it is played: changed in place, one owner. */
export interface LiveState {
  turn: number
  currentNode: string
  verifyResult: boolean | null
  score: number | null
  output: string
  parsed: Readonly<Record<string, unknown>>
  toolCalls: ReadonlyArray<string>
  readonly nodeVisits: Map<string, number>
  accumulated: Readonly<Record<string, unknown>>
  readonly nodeResults: Map<string, NodeResult>
  /** Known cost so far; null once a turn's cost is unknown. */
  costUsd: number | null
  elapsedMs: number
  readonly turns: Array<TurnRecord>
}

/** The state before the first turn. */
export const initial = (entry: string, accumulated: Readonly<Record<string, unknown>>): LiveState => ({
  turn: 0,
  currentNode: entry,
  verifyResult: null,
  score: null,
  output: "",
  parsed: {},
  toolCalls: [],
  nodeVisits: new Map(),
  accumulated,
  nodeResults: new Map(),
  costUsd: 0,
  elapsedMs: 0,
  turns: []
})

const rubricOf = (turn: TurnRecord): Readonly<Record<string, number | null>> => {
  const rubric: Record<string, number | null> = {}
  for (const { scorer, score } of turn.scores) rubric[scorer] = score
  return rubric
}

/** Takes a finished turn into the state. */
export const finishTurn = (state: LiveState, turn: TurnRecord): void => {
  state.verifyResult = turn.verifyResult
  state.score = turn.score
  state.output = turn.output ?? ""
  state.parsed = turn.parsed
  state.toolCalls = toolNames(turn.toolCalls)
  state.nodeResults.set(turn.node, {
    verify_result: turn.verifyResult,
    score: turn.score,
    output: turn.output ?? "",
    parsed: turn.parsed,
    rubric: rubricOf(turn)
  })
}

/** A turn without the words of its scorers, which may quote the expected answer. */
const withoutReasons = (turn: TurnRecord): TurnRecord => ({
  ...turn,
  reason: "",
  scores: turn.scores.map((score) => ({ ...score, reason: "", detail: {} }))
})

/** A copy that nothing changes any more, for functions of the project. */
export const frozen = (state: LiveState): ScenarioState => ({
  ...state,
  nodeVisits: Object.fromEntries(state.nodeVisits),
  nodeResults: Object.fromEntries(state.nodeResults),
  accumulated: structuredClone(state.accumulated),
  turns: state.turns.map(withoutReasons)
})
