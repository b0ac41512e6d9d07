/** Gets the answer of one turn: from a recording, from the cache, or live, within the limits of the turn. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { GenerationError } from "../../domain/GenerationError.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { toPrompt } from "../../domain/Message.ts"
import { through } from "../cache/AnswerCache.ts"
import { answerKey, requestText } from "../cache/AnswerKey.ts"
import type { ScenarioNode } from "../model/Scenario.ts"
import type { AnswerSource, FailureCategory } from "../model/Turn.ts"
import type { ReplayEntry } from "../replay/ReplayStore.ts"
import type { TurnAnswer, TurnRequest } from "./PlayContext.ts"
import { elapsed, type Session } from "./Session.ts"
import { takeFiles } from "./Workspace.ts"

/** An answer and how it came about. */
export interface Answered {
  readonly answer: TurnAnswer
  readonly source: AnswerSource
  /** The recording it was taken from. */
  readonly entry: ReplayEntry | null
}

/** A turn without an answer. */
export class NoAnswer {
  readonly _tag = "NoAnswer"
  readonly category: FailureCategory
  readonly reason: string
  /** Whether it was the time of the whole scenario that was over. */
  readonly scenarioTime: boolean
  constructor(category: FailureCategory, reason: string, scenarioTime = false) {
    this.category = category
    this.reason = reason
    this.scenarioTime = scenarioTime
  }
}

const categories: Readonly<Record<GenerationError["reason"], FailureCategory>> = {
  authentication: "authentication",
  permission: "authentication",
  not_found: "invalid_request",
  invalid_request: "invalid_request",
  rate_limited: "rate_limit",
  quota_exhausted: "rate_limit",
  overloaded: "server_error",
  server: "server_error",
  timeout: "timeout",
  connection: "connection",
  truncated: "connection",
  content_filtered: "content_filter",
  malformed_response: "unexpected_error",
  aborted: "unexpected_error",
  target: "target",
  unknown: "unexpected_error"
}

/** Limit of the next turn, ms: what is due first. Null = none. */
const limitOf = (session: Session, node: ScenarioNode): { readonly ms: number; readonly whole: boolean } | null => {
  const { timeS } = session.compiled.scenario.limits
  const left = timeS === null ? null : Math.max(0, timeS * 1_000 - elapsed(session))
  const own = node.timeoutS === null ? null : node.timeoutS * 1_000
  if (left !== null && (own === null || left <= own)) return { ms: left, whole: true }
  return own === null ? null : { ms: own, whole: false }
}

const failureOf = (session: Session, cause: Cause.Cause<GenerationError | NoAnswer>): NoAnswer => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) {
    return new NoAnswer("unexpected_error", Cause.pretty(cause).split("\n", 1)[0] ?? "unknown defect")
  }
  const error = failure.value
  if (error._tag === "NoAnswer") return error
  if (session.context.outOfTime()) return new NoAnswer("timeout", error.detail, true)
  return new NoAnswer(categories[error.reason], error.detail)
}

/** Whether asking again may help. The engine's own retries are over then; the author asked for more. */
const mayHelp = (cause: Cause.Cause<GenerationError | NoAnswer>, failure: NoAnswer): boolean => {
  if (failure.scenarioTime) return false
  const error = Option.getOrNull(Cause.findErrorOption(cause))
  if (error === null || error._tag === "NoAnswer") return true
  return GenerationErrors.make({ reason: error.reason, detail: error.detail, status: error.status }).isRetryable
}

const once = (session: Session, node: ScenarioNode, request: TurnRequest) => {
  const { permit } = session.context
  const attempt = Effect.suspend(() => limited(session, node, request))
  return permit === null ? attempt : permit(attempt)
}

const limited = (session: Session, node: ScenarioNode, request: TurnRequest) => {
  const limit = limitOf(session, node)
  const asked = Effect.suspend(() => session.context.respond(request))
  if (limit === null) return asked
  const over = limit.whole
    ? "the time of the scenario is over"
    : `no answer within ${node.timeoutS} s (timeout_s of the node)`
  return Effect.timeoutOrElse(asked, {
    duration: limit.ms,
    orElse: () => Effect.fail(new NoAnswer("timeout", over, limit.whole))
  })
}

/** Asks once. */
const single = (
  session: Session,
  node: ScenarioNode,
  request: TurnRequest,
  tried: (tries: number) => void
): Effect.Effect<TurnAnswer, NoAnswer> =>
  Effect.suspend(() => {
    tried(1)
    return Effect.catchCause(once(session, node, request), (cause) =>
      Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.fail(failureOf(session, cause))
    )
  })

/** Asks until there is an answer or no try is left; `tried` counts. */
const live = Effect.fnUntraced(function* (
  session: Session,
  node: ScenarioNode,
  request: TurnRequest,
  tried: (tries: number) => void
) {
  for (let tries = 1; ; tries++) {
    tried(tries)
    const exit = yield* Effect.exit(once(session, node, request))
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
    const failure = failureOf(session, exit.cause)
    if (tries > node.retries || !mayHelp(exit.cause, failure)) return yield* Effect.fail(failure)
  }
})

const keyOf = ({ node, ...request }: TurnRequest): string => {
  const { contestant, replicate, scenario } = request
  const { maxTokens, messages, params, system, temperature, visit } = request
  const text = requestText({
    scenario,
    node,
    contestant,
    visit,
    messages,
    system,
    maxTokens,
    temperature,
    params
  })
  return answerKey(scenario, node, contestant, [text], replicate)
}

const promptOf = ({ messages }: TurnRequest): string => toPrompt(messages)

const replayed = ({ costUsd, latencyMs, output, toolCalls, toolResults, usage }: ReplayEntry): TurnAnswer => ({
  text: output,
  usage,
  costUsd,
  latencyMs,
  toolCalls,
  ...(toolResults === undefined ? {} : { toolResults })
})

/** The answer of a turn. Fails with `NoAnswer`; an interruption leaves nothing reserved. */
export const obtain = (
  session: Session,
  node: ScenarioNode,
  request: TurnRequest,
  tried: (tries: number) => void
): Effect.Effect<Answered, NoAnswer> => {
  const { cache, cacheWaitMs, onReplay, replay, replayFits } = session.context
  const found = replay?.find(request) ?? null
  const entry = found !== null && replayFits?.(request) !== false ? found : null
  if (entry !== null) {
    onReplay?.({ ...entry, contestant: request.contestant, prompt: promptOf(request) })
    return Effect.succeed({ answer: replayed(entry), source: "replay", entry })
  }
  if (replay?.missPolicy === "strict") {
    const what = `${request.scenario}, ${request.node}, visit ${request.visit}, ${request.contestant}`
    return Effect.fail(new NoAnswer("unexpected_error", `Replay strict miss: there is no recorded answer for ${what}`))
  }
  const asked = (node.retries === 0 ? single : live)(session, node, request, tried)
  if (cache === null || replay?.hasAnyFor(request.scenario, request.node) === true) {
    return Effect.map(asked, (answer): Answered => ({ answer, source: "live", entry: null }))
  }
  const shared = Effect.map(
    through(cache, keyOf(request), asked, cacheWaitMs),
    ({ hit, value }): Answered => ({ answer: value, source: hit ? "cache" : "live", entry: null })
  )
  return session.context.workspace === null
    ? shared
    : Effect.tap(shared, ({ answer, source }) => (source === "cache" ? takeFiles(session, answer) : Effect.void))
}
