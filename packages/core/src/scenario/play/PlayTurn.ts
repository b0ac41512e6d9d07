/** One visit of one node: handover -> request -> answer -> fields -> verdict -> record. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CellContext, unknownUsage } from "../../domain/Generation.ts"
import type { CellScore } from "../../scoring/CellScore.ts"
import { Fault } from "../condition/Compared.ts"
import type { Handover, ScenarioEdge } from "../model/Scenario.ts"
import type { FailureCategory, TurnFailure, TurnRecord } from "../model/Turn.ts"
import { verdictFor } from "../replay/ReplayStore.ts"
import { resolvePath } from "../state/StatePath.ts"
import { answerEntry, systemEntry, userEntry } from "../trace/Transcript.ts"
import { type Answered, type NoAnswer, obtain } from "./Answer.ts"
import type { CompiledNode } from "./Compiled.ts"
import { handOver, handoverName } from "./HandOver.ts"
import { type JudgeFields, judgeFields, judgePrompt, parseFields, readJudgeReply } from "./ParseAnswer.ts"
import type { TurnRequest } from "./PlayContext.ts"
import { fault, type Session } from "./Session.ts"
import { verifyAnswer } from "./VerifyAnswer.ts"
import { cellOfCheck, openTurn, turnFolder } from "./Workspace.ts"

/** A turn that failed: what is known of it, and why. */
class TurnFailed {
  readonly _tag = "TurnFailed"
  readonly stage: TurnFailure["stage"]
  readonly category: FailureCategory
  readonly reason: string
  readonly scenarioTime: boolean
  constructor(stage: TurnFailure["stage"], category: FailureCategory, reason: string, scenarioTime = false) {
    this.stage = stage
    this.category = category
    this.reason = reason
    this.scenarioTime = scenarioTime
  }
}

type Draft = { -readonly [K in keyof TurnRecord]: TurnRecord[K] }

const draftOf = (session: Session, compiled: CompiledNode, edge: ScenarioEdge | null): Draft => {
  const { context, live } = session
  const { node } = compiled
  const where = `prompt of ${node.id}`
  const missing = (path: string) => fault(session, where, path, "there is no value for the template")
  const resolve = (path: string) => resolvePath(live, path)
  const question = compiled.prompt.render(resolve, missing)
  return {
    index: live.turn,
    node: node.id,
    visit: live.nodeVisits.get(node.id) ?? 0,
    agent: agentOf(session, compiled),
    contestant: node.contestant ?? context.contestant,
    question,
    prompt: question,
    system: compiled.system === null ? context.system : compiled.system.render(resolve, missing),
    since: session.conversation.since,
    given: session.conversation.given,
    output: null,
    verifyResult: null,
    score: null,
    reason: "",
    scores: [],
    parsed: {},
    toolCalls: [],
    usage: unknownUsage,
    costUsd: null,
    latencyMs: null,
    tries: 0,
    source: "live",
    handover: handoverName(edge?.handover ?? null),
    error: null
  }
}

/** The label of who answers: the node's own, else that of the entry node, else the contestant. */
const agentOf = ({ compiled, context }: Session, { node }: CompiledNode): string => {
  const entry = compiled.nodes.get(compiled.scenario.entry)?.node.agentIdentity
  return node.agentIdentity ?? entry ?? context.contestant
}

/** Makes the handover of the edge that was followed: a new conversation begins with this turn. */
const takeHandover = Effect.fnUntraced(function* (session: Session, draft: Draft, handover: Handover) {
  const made = yield* Effect.mapError(
    handOver(session, handover, draft.question),
    ({ message }) => new TurnFailed("Handover", "handover", message)
  )
  draft.prompt = made.prompt
  const given = made.history === null || made.history.length === 0 ? null : made.history
  session.conversation = { messages: [...(given ?? [])], since: draft.index, given }
  draft.since = draft.index
  draft.given = given
})

const logQuestion = (session: Session, draft: Draft): void => {
  if (draft.system !== null && (draft.agent !== session.agent || draft.system !== session.system)) {
    session.log.push(systemEntry(draft.agent, draft.system))
  }
  session.agent = draft.agent
  session.system = draft.system
  session.log.push(userEntry(draft.question))
}

const requestOf = (session: Session, { node }: CompiledNode, draft: Draft): TurnRequest => {
  const { messages } = session.conversation
  const [first, ...rest] = [...messages, { role: "user" as const, content: draft.prompt }]
  return {
    scenario: session.compiled.scenario.name,
    node: node.id,
    turn: draft.index,
    visit: draft.visit,
    replicate: session.context.replicate,
    contestant: draft.contestant,
    agent: draft.agent,
    messages: [first ?? { role: "user", content: draft.prompt }, ...rest],
    system: draft.system,
    maxTokens: node.maxTokens,
    temperature: node.temperature,
    params: node.params
  }
}

const takeAnswer = (session: Session, draft: Draft, { answer, source }: Answered): void => {
  draft.output = answer.text
  draft.usage = answer.usage
  draft.costUsd = answer.costUsd
  draft.latencyMs = answer.latencyMs
  draft.toolCalls = answer.toolCalls
  if (answer.toolResults !== undefined) draft.toolResults = answer.toolResults
  draft.source = source
  session.conversation.messages.push(
    { role: "user", content: draft.prompt },
    { role: "assistant", content: answer.text }
  )
  session.log.push(answerEntry(draft.agent, answer.text, answer.toolCalls, answer.toolResults))
}

const askJudge = Effect.fnUntraced(function* (session: Session, draft: Draft, fields: JudgeFields) {
  const { ask } = session.context
  if (ask === null)
    return yield* Effect.fail(new TurnFailed("ParseAnswer", "parsing", "there is no judge to read fields"))
  const { scenario } = yield* cellOfCheck(session)
  const reply = yield* Effect.mapError(
    ask(judgePrompt(fields, draft.question, draft.output ?? ""), scenario),
    ({ detail }) => new TurnFailed("ParseAnswer", "parsing", `the judge failed: ${detail}`, session.context.outOfTime())
  )
  const parsed = readJudgeReply(fields, reply)
  if (parsed instanceof Fault) return yield* Effect.fail(new TurnFailed("ParseAnswer", "parsing", parsed.message))
  draft.parsed = { ...draft.parsed, ...parsed }
})

const takeVerdict = (draft: Draft, { passed, reason, score, scores }: CellScore): void => {
  draft.verifyResult = passed
  draft.score = score
  draft.reason = reason
  draft.scores = scores
}

/** What is still to be done about an answer; null = nothing. */
type Pending = Effect.Effect<void, TurnFailed> | null

const verify = (session: Session, compiled: CompiledNode, draft: Draft): Pending => {
  if (!compiled.readsConversation) return verifyIn(session, compiled, draft, session.context.cell)
  return Effect.flatMap(cellOfCheck(session), (cell) => verifyIn(session, compiled, draft, cell) ?? Effect.void)
}

const verifyIn = (session: Session, compiled: CompiledNode, draft: Draft, cell: CellContext): Pending => {
  const { inTime } = session.context
  const scored = verifyAnswer(compiled, draft.question, draft.output ?? "", cell)
  if (scored === null) return null
  if (!Effect.isEffect(scored)) {
    takeVerdict(draft, scored)
    return null
  }
  const failed = (reason: string, time: boolean) => new TurnFailed("VerifyAnswer", "scorer", reason, time)
  return Effect.map(
    Effect.mapError(inTime === null ? scored : inTime(scored), (error) =>
      failed(error.message, error._tag === "GenerationError")
    ),
    (score) => takeVerdict(draft, score)
  )
}

/** Fields and verdict: as captured when they still count, else anew. At once where no judge and no waiting is needed. */
const assess = (session: Session, compiled: CompiledNode, draft: Draft, { entry }: Answered): Pending => {
  const captured = entry === null ? null : verdictFor(entry, session.context.judge, compiled.verifyHash)
  if (captured !== null) {
    const { parsed, reason, score, scores, verifyResult } = captured
    draft.parsed = parsed
    takeVerdict(draft, { passed: verifyResult, reason, score, scores, metrics: {} })
    return null
  }
  const { id, parse } = compiled.node
  draft.parsed = parseFields(parse, draft.output ?? "", (field, message) =>
    fault(session, `answer of ${id}`, field, message)
  )
  const fields = judgeFields(parse)
  if (fields.length === 0) return verify(session, compiled, draft)
  return Effect.flatMap(askJudge(session, draft, fields), () => verify(session, compiled, draft) ?? Effect.void)
}

/** Why a turn failed; an interruption from outside goes on. */
const failureIn = (cause: Cause.Cause<TurnFailed>): Effect.Effect<TurnFailed> => {
  if (Cause.hasInterrupts(cause)) return Effect.interrupt
  const failure = Cause.findErrorOption(cause)
  if (Option.isSome(failure)) return Effect.succeed(failure.value)
  const detail = Cause.pretty(cause).split("\n", 1)[0] ?? "unknown defect"
  return Effect.succeed(new TurnFailed("VerifyAnswer", "unexpected_error", detail))
}

/** What came of a turn. */
export interface PlayedTurn {
  readonly record: TurnRecord
  readonly failure: TurnFailure | null
  /** Whether the time of the whole scenario is over. */
  readonly outOfTime: boolean
}

/** The folder of the turn and its handover; null = there is nothing to do. */
const before = (session: Session, draft: Draft, edge: ScenarioEdge | null): Pending => {
  const folder = turnFolder(session)
  const handover = edge?.handover ?? null
  const handed = handover === null ? null : takeHandover(session, draft, handover)
  if (folder === null) return handed
  return Effect.andThen(openTurn(session, folder), handed ?? Effect.void)
}

/** Asks, and judges what comes back. */
const ask = (session: Session, compiled: CompiledNode, draft: Draft): Effect.Effect<void, TurnFailed> => {
  logQuestion(session, draft)
  const obtained = obtain(session, compiled.node, requestOf(session, compiled, draft), (tries) => {
    draft.tries = tries
  })
  const answered = Effect.mapError(
    obtained,
    ({ category, reason, scenarioTime }: NoAnswer) => new TurnFailed("GenerateAnswer", category, reason, scenarioTime)
  )
  return Effect.flatMap(answered, (one) => {
    takeAnswer(session, draft, one)
    return assess(session, compiled, draft, one) ?? Effect.void
  })
}

const failedTurn = (draft: Draft, { category, reason, scenarioTime, stage }: TurnFailed): PlayedTurn => {
  draft.error = reason
  const failure: TurnFailure = {
    node: draft.node,
    turn: draft.index,
    category: scenarioTime ? "timeout" : category,
    stage,
    reason
  }
  return { record: draft, failure, outOfTime: scenarioTime }
}

/** Plays one turn. Never fails: a turn that could not be finished is recorded with its failure. */
export const playTurn = (
  session: Session,
  compiled: CompiledNode,
  edge: ScenarioEdge | null
): Effect.Effect<PlayedTurn> =>
  Effect.suspend(() => {
    const draft = draftOf(session, compiled, edge)
    const asked = Effect.suspend(() => {
      const first = before(session, draft, edge)
      return first === null ? ask(session, compiled, draft) : Effect.flatMap(first, () => ask(session, compiled, draft))
    })
    return Effect.matchCauseEffect(asked, {
      onSuccess: () => Effect.succeed<PlayedTurn>({ record: draft, failure: null, outOfTime: false }),
      onFailure: (cause) => Effect.map(failureIn(cause), (failed) => failedTurn(draft, failed))
    })
  })
