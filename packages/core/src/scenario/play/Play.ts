/** Plays a scenario: from its entry along its edges until END, a terminal node, a limit, or a failure. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Fault } from "../condition/Compared.ts"
import { END, type ScenarioEdge } from "../model/Scenario.ts"
import type { ScenarioResult, ScenarioStatus } from "../model/Turn.ts"
import { applyUpdates } from "../state/ApplyUpdate.ts"
import { finishTurn } from "../state/LiveState.ts"
import { resolvePath } from "../state/StatePath.ts"
import type { CompiledNode, CompiledScenario } from "./Compiled.ts"
import { callNow } from "./Functions.ts"
import { nextEdge } from "./NextEdge.ts"
import type { PlayContext } from "./PlayContext.ts"
import { type PlayedTurn, playTurn } from "./PlayTurn.ts"
import * as Sessions from "./Session.ts"
import { fault, resultOf, type Session, viewOf } from "./Session.ts"

/** A scenario being played. */
export interface Play {
  /** Plays it to its end. Never fails; an interruption leaves what is known to `snapshot`. */
  readonly run: Effect.Effect<ScenarioResult>
  /** The record as it stands, as of a play that ended with this status. */
  readonly snapshot: (status: ScenarioStatus) => ScenarioResult
}

const updateState = (session: Session, { node }: CompiledNode): void => {
  if (node.update.length === 0) return
  const { live } = session
  const where = `update of ${node.id}`
  const view = viewOf(session, where)
  const inside = "accumulated."
  const applied = applyUpdates(
    node.update,
    live.accumulated,
    (accumulated) => ({
      ...view,
      resolve: (path) =>
        path.startsWith(inside) || path === "accumulated"
          ? resolvePath({ ...live, accumulated }, path)
          : view.resolve(path)
    }),
    (name, accumulated) => callNow(session.context.functions, name, [accumulated, structuredClone(live.parsed)])
  )
  if (applied instanceof Fault) fault(session, where, "", `rolled back: ${applied.message}`)
  else live.accumulated = applied
}

/** Takes a played turn into the state: verdict, update, counts. */
const settle = (session: Session, compiled: CompiledNode, { record }: PlayedTurn): void => {
  const { live } = session
  live.turns.push(record)
  if (record.output !== null) {
    finishTurn(live, record)
    live.costUsd = live.costUsd === null || record.costUsd === null ? null : live.costUsd + record.costUsd
  } else {
    live.verifyResult = null
    live.score = null
  }
  live.elapsedMs = Sessions.elapsed(session)
  // An update sees the turn it belongs to, before it is counted.
  if (record.error === null) updateState(session, compiled)
  live.turn += 1
  live.nodeVisits.set(record.node, record.visit + 1)
}

const tell = (session: Session, { record }: PlayedTurn, next: string | null): void => {
  const { onTurn } = session.context
  if (onTurn === null) return
  const { index, node, verifyResult } = record
  try {
    onTurn({ scenario: session.compiled.scenario.name, turn: index, node, verifyResult, next })
  } catch {
    // What watches a play must not change it.
  }
}

/** Which limit is reached after a turn; null = none. A limit on something unknown cannot be held, and says so. */
const limitReached = (session: Session): "tokens" | "cost" | null => {
  const { limits } = session.compiled.scenario
  if (limits.tokens !== null) {
    const { completion, prompt } = Sessions.usageOf(session)
    if (prompt === null || completion === null) fault(session, "limits", "tokens", "the tokens of a turn are unknown")
    else if (prompt + completion >= limits.tokens) return "tokens"
  }
  if (limits.costUsd !== null) {
    const { costUsd } = session.live
    if (costUsd === null) fault(session, "limits", "cost", "the cost of a turn is unknown")
    else if (costUsd >= limits.costUsd) return "cost"
  }
  return null
}

const cutOff = (session: Session, limit: NonNullable<ScenarioResult["limit"]>): ScenarioResult => {
  session.limit = limit
  return resultOf(session, limit === "time" ? "timeout" : "limit_reached")
}

const failed = (session: Session, played: PlayedTurn): ScenarioResult => {
  session.failure = played.failure
  if (played.outOfTime) session.limit = "time"
  return resultOf(session, played.failure?.category === "timeout" ? "timeout" : "error")
}

/** Whether the way to `target` is cut off; the end is never. */
const blocked = (session: Session, target: string): ScenarioResult["limit"] => {
  const { compiled, live } = session
  if (live.turn >= compiled.scenario.limits.turns) return "turns"
  const most = compiled.nodes.get(target)?.node.maxVisits ?? null
  if (most !== null && (live.nodeVisits.get(target) ?? 0) >= most) return "visits"
  return limitReached(session)
}

const traverse = Effect.fnUntraced(function* (session: Session) {
  const { compiled, live } = session
  let edge: ScenarioEdge | null = null
  for (;;) {
    const node = compiled.nodes.get(live.currentNode)
    if (node === undefined)
      return yield* Effect.die(new Error(`no node ${live.currentNode}: the scenario is not valid`))
    session.path.push(node.node.id)
    const played: PlayedTurn = yield* playTurn(session, node, edge)
    settle(session, node, played)
    if (played.failure !== null) {
      tell(session, played, null)
      return failed(session, played)
    }
    edge = nextEdge(node.edges, ({ from, to }) => viewOf(session, `edge ${from} -> ${to}`))
    if (edge === null || edge.to === END) {
      tell(session, played, edge?.to ?? null)
      return resultOf(session, "completed")
    }
    const limit = blocked(session, edge.to)
    tell(session, played, limit === null ? edge.to : null)
    if (limit !== null) return cutOff(session, limit)
    live.currentNode = edge.to
  }
})

/** Begins a play now, by this clock. */
export const startWith = (clock: Clock.Clock, compiled: CompiledScenario, context: PlayContext): Play => {
  const session = Sessions.make(compiled, context, clock)
  return { run: traverse(session), snapshot: (status) => resultOf(session, status) }
}

/** Begins a play. */
export const start = (compiled: CompiledScenario, context: PlayContext): Effect.Effect<Play> =>
  Effect.map(Clock.Clock, (clock) => startWith(clock, compiled, context))

/** Plays a scenario to its end. */
export const play = (compiled: CompiledScenario, context: PlayContext): Effect.Effect<ScenarioResult> =>
  Effect.flatMap(start(compiled, context), ({ run }) => run)
