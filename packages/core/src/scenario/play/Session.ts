/** A play in progress: everything that is known of it, so that it can be recorded whenever it ends. */
import type * as Clock from "effect/Clock"
import type { TokenUsage } from "../../domain/Generation.ts"
import type { Message } from "../../domain/Message.ts"
import { totalUsage } from "../../domain/TotalUsage.ts"
import type { ConditionView } from "../condition/EvaluateCondition.ts"
import type { ScenarioResult, ScenarioStatus, SoftFault, TurnFailure } from "../model/Turn.ts"
import { evaluateOutcomes, scoreOf } from "../outcome/EvaluateOutcome.ts"
import * as LiveState from "../state/LiveState.ts"
import { resolvePath } from "../state/StatePath.ts"
import { lookUp } from "../state/TurnFields.ts"
import type { LogEntry } from "../trace/Transcript.ts"
import type { CompiledScenario } from "./Compiled.ts"
import { callCondition, callOutcome } from "./Functions.ts"
import type { PlayContext } from "./PlayContext.ts"

/** What the next turn is sent before its question. */
export interface Conversation {
  /** Messages in order; of turns and of function handovers. */
  readonly messages: Array<Message>
  /** The first turn of the conversation, and what stood before it. */
  readonly since: number
  readonly given: ReadonlyArray<Message> | null
}

export interface Session {
  readonly compiled: CompiledScenario
  readonly context: PlayContext
  readonly clock: Clock.Clock
  readonly startedAt: number
  readonly live: LiveState.LiveState
  readonly path: Array<string>
  readonly log: Array<LogEntry>
  conversation: Conversation
  agent: string | null
  system: string | null
  readonly softFaults: Array<SoftFault>
  failure: TurnFailure | null
  limit: ScenarioResult["limit"]
}

const nowMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

export const make = (compiled: CompiledScenario, context: PlayContext, clock: Clock.Clock): Session => ({
  compiled,
  context,
  clock,
  startedAt: nowMs(clock),
  live: LiveState.initial(compiled.scenario.entry, compiled.scenario.state),
  path: [],
  log: [],
  conversation: { messages: [], since: 0, given: null },
  agent: null,
  system: null,
  softFaults: [],
  failure: null,
  limit: null
})

/** Milliseconds since the play began. */
export const elapsed = (session: Session): number => nowMs(session.clock) - session.startedAt

/** More are not kept: a scenario that loops would repeat the same one for ever. */
const mostFaults = 200

export const fault = (session: Session, where: string, field: string, message: string): void => {
  if (session.softFaults.length >= mostFaults) return
  session.softFaults.push({ turn: session.live.turn, where, field, message })
}

/** The state as conditions see it; what cannot be compared is recorded under `where`. */
export const viewOf = (session: Session, where: string): ConditionView => ({
  resolve: (path) => resolvePath(session.live, path),
  call: (name) => callCondition(session.context.functions, name, [LiveState.frozen(session.live)]),
  fault: (field, message) => fault(session, where, field, message)
})

/** Tokens of all answered turns; null as soon as one part is unknown, or when there is none. */
export const usageOf = ({ live }: Session): TokenUsage =>
  totalUsage(live.turns.filter(({ output }) => output !== null).map(({ usage }) => usage))

const resultField = (session: Session, status: ScenarioStatus, path: string): unknown => {
  const { context, failure, live } = session
  switch (path) {
    case "status":
      return status
    case "turn_count":
      return session.path.length
    case "path":
      return session.path
    case "scenario":
    case "scenario_id":
      return session.compiled.scenario.name
    case "replicate":
      return context.replicate
    case "terminal_failure":
      return failure
    case "limit":
      return session.limit
    default:
      return path.startsWith("terminal_failure.") ? lookUp(failure, path.slice(17)) : resolvePath(live, path)
  }
}

const assessed: ReadonlySet<ScenarioStatus> = new Set<ScenarioStatus>(["completed", "limit_reached"])

/** The record of a play that ended so. */
export const resultOf = (session: Session, status: ScenarioStatus): ScenarioResult => {
  const { compiled, context, live } = session
  const { scenario } = compiled
  const base = {
    scenario: scenario.name,
    hash: compiled.hash,
    contestant: context.contestant,
    judge: context.judge,
    replicate: context.replicate,
    status,
    limit: session.limit,
    path: [...session.path],
    turns: [...live.turns],
    accumulated: live.accumulated,
    nodeVisits: Object.fromEntries(live.nodeVisits),
    failure: session.failure,
    usage: usageOf(session),
    costUsd: live.turns.some(({ output }) => output !== null) ? live.costUsd : null,
    elapsedMs: elapsed(session)
  }
  const outcomes = evaluateOutcomes(scenario.outcomes, {
    turns: live.turns,
    resultField: (path) => resultField(session, status, path),
    call: (name) => callOutcome(context.functions, name, [structuredClone(base)]),
    fault: (outcome, field, message) => fault(session, `outcome ${outcome}`, field, message)
  })
  const score = assessed.has(status)
    ? scoreOf(scenario.score, outcomes, (name, message) => fault(session, `score of ${name}`, name, message))
    : null
  return { ...base, outcomes, score, softFaults: [...session.softFaults] }
}
