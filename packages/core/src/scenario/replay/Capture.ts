/** Recordings made from played scenarios. */
import type { ScenarioResult, TurnRecord } from "../model/Turn.ts"
import type { CompiledScenario } from "../play/Compiled.ts"
import { type CapturedVerdict, type MissPolicy, type ReplayEntry, type ReplayKey, ReplayStore } from "./ReplayStore.ts"

export interface CaptureOptions {
  /** Whether a play that did not end by itself is captured, too; its failed turn never is. Default true. */
  readonly unfinished?: boolean
  /** Whether verdicts and parsed fields are captured. Default true. */
  readonly verdicts?: boolean
  /** Only these nodes. */
  readonly nodes?: ReadonlyArray<string>
}

const verdictOf = (
  result: ScenarioResult,
  turn: TurnRecord,
  compiled: CompiledScenario | null
): ReadonlyArray<CapturedVerdict> => {
  const node = compiled?.hash === result.hash ? compiled.nodes.get(turn.node) : undefined
  if (node === undefined || turn.error !== null) return []
  const { parsed, reason, score, scores, verifyResult } = turn
  return [{ judge: result.judge, verifyHash: node.verifyHash, verifyResult, score, reason, scores, parsed }]
}

/** The key of a recorded turn: with the contestant that really answered, and its own visit. */
export const keyOf = (result: ScenarioResult, turn: TurnRecord): ReplayKey => ({
  scenario: result.scenario,
  node: turn.node,
  contestant: turn.contestant,
  visit: turn.visit,
  replicate: result.replicate
})

const entryOf = (turn: TurnRecord, output: string, verdicts: ReadonlyArray<CapturedVerdict>): ReplayEntry => ({
  output,
  toolCalls: turn.toolCalls,
  ...(turn.toolResults === undefined ? {} : { toolResults: turn.toolResults }),
  usage: turn.usage,
  costUsd: turn.costUsd,
  latencyMs: turn.latencyMs,
  verdicts
})

/**
 * Adds the answers of results to a store. Verdicts are captured for scenarios in `compiled` that have not changed since;
 * without them replayed answers are judged anew.
 */
export const capture = (
  store: ReplayStore,
  results: Iterable<ScenarioResult>,
  compiled: ReadonlyMap<string, CompiledScenario>,
  options: CaptureOptions = {}
): void => {
  for (const result of results) {
    if (options.unfinished === false && result.status !== "completed" && result.status !== "limit_reached") continue
    for (const turn of result.turns) {
      if (turn.output === null || options.nodes?.includes(turn.node) === false) continue
      const own = options.verdicts === false ? [] : verdictOf(result, turn, compiled.get(result.scenario) ?? null)
      store.register(keyOf(result, turn), entryOf(turn, turn.output, own))
    }
  }
}

/** A store of the answers of one result, for going on from where it ended. */
export const storeOf = (
  result: ScenarioResult,
  compiled: CompiledScenario,
  options: CaptureOptions & { readonly policy?: MissPolicy } = {}
): ReplayStore => {
  const store = new ReplayStore(options.policy)
  capture(store, [result], new Map([[compiled.scenario.name, compiled]]), options)
  return store
}
