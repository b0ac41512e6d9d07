/** A scenario as one cell of a run: its turns are inner calls of the cell, its score is an outcome. */

import { join, sep } from "node:path"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { CellError } from "../domain/CallResult.ts"
import type { CellContext, Generation, GenerationRequest, Step } from "../domain/Generation.ts"
import * as Generations from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import { runFileName } from "../domain/RunFileName.ts"
import * as Scores from "../domain/Score.ts"
import type { JudgeSettings } from "../domain/Settings.ts"
import type { CellScore } from "../scoring/CellScore.ts"
import { inCell } from "../scoring/Judge.ts"
import type { Scenario } from "./model/Scenario.ts"
import { type FailureCategory, ScenarioResult, type TurnFailure, TurnRecord } from "./model/Turn.ts"
import type { CompiledScenario } from "./play/Compiled.ts"
import type { ScenarioFunctions } from "./play/Functions.ts"
import { startWith } from "./play/Play.ts"
import type { PlayContext, Respond } from "./play/PlayContext.ts"
import { folderName, folderOfTurn, onTurn, removeEnded } from "./play/Workspace.ts"
import { storeOf } from "./replay/Capture.ts"
import { askedTheSame } from "./replay/SameConversation.ts"

/** What a cell gives the scenario that is played in it. */
export interface CellSurroundings {
  readonly clock: Clock.Clock
  readonly runId: string
  /** The cell's request: its system prompt is the default of the turns. */
  readonly request: GenerationRequest
  /** For calls that answer. */
  readonly answering: CellContext
  /** For calls that judge. */
  readonly scoring: CellContext
  /** Whether the cell's time is over. */
  readonly outOfTime: () => boolean
  /** Bounds what is no call by what is left of the cell's time. */
  readonly inTime: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | GenerationError>
  /** An earlier play of this cell; its turns are not asked again. Null = none. */
  readonly earlier: EarlierPlay | null
  /** Hears of each turn that is taken from there. */
  readonly recalled: (turn: RecalledTurn) => void
}

/** A turn of an earlier play. What it cost was paid then. */
export type RecalledTurn = Pick<TurnRecord, "contestant" | "costUsd" | "latencyMs" | "output" | "prompt" | "usage">

/** What a cell has recorded of its scenario before. */
export interface EarlierPlay {
  readonly trace: unknown
  readonly steps: ReadonlyArray<Step>
  /** Whether its verdicts still count; false = its answers are judged anew. */
  readonly judged: boolean
}

/** What a cell records of its scenario. `failure` is null when the scenario ended by itself or at a limit. */
export interface PlayedCell {
  readonly answer: Generation
  readonly score: CellScore
  readonly failure: CellError | null
  readonly elapsedMs: number
}

/** A scenario being played in a cell. */
export interface CellPlay {
  /** Never fails. */
  readonly run: Effect.Effect<PlayedCell>
  /** What is known when the cell is interrupted. */
  readonly interrupted: () => PlayedCell
}

export type PlayCell = (surroundings: CellSurroundings) => CellPlay

/** Where the folders of turns are. */
export interface WorkspaceSettings {
  /** Runs have folders of their own in it. */
  readonly root: string
  /** Whether every turn gets one; false = only where an edge or a scorer may use it. */
  readonly everyTurn: boolean
  /** False = they are removed when a play has ended by itself or at a limit; others can be gone on with. */
  readonly keep: boolean
}

/** What all cells of a scenario share. */
export interface CellScenario {
  readonly compiled: CompiledScenario
  readonly functions: ScenarioFunctions
  readonly judge: JudgeSettings
  readonly workspaces: WorkspaceSettings
  readonly traceThreshold: number
}

const reasons: Readonly<Partial<Record<FailureCategory, GenerationError["reason"]>>> = {
  timeout: "timeout",
  connection: "connection",
  rate_limit: "rate_limited",
  server_error: "server",
  authentication: "authentication",
  content_filter: "content_filtered",
  invalid_request: "invalid_request",
  target: "target"
}

const kindOf = (failure: TurnFailure, outOfTime: boolean): CellError["kind"] => {
  if (outOfTime) return "timeout"
  if (failure.stage === "GenerateAnswer") return "generation"
  return failure.stage === "Handover" ? "hook" : "scorer"
}

const failureOf = (failure: TurnFailure | null, outOfTime: boolean): CellError | null => {
  if (failure === null) return null
  const kind = kindOf(failure, outOfTime)
  return {
    kind,
    reason: kind === "generation" ? (reasons[failure.category] ?? "unknown") : null,
    status: null,
    source: kind === "generation" || kind === "timeout" ? null : `${failure.stage} of ${failure.node}`,
    message: `turn ${failure.turn} (${failure.node}): ${failure.reason}`
  }
}

const outOfTimeError: CellError = {
  kind: "generation",
  reason: "timeout",
  status: null,
  source: null,
  message: "the time of the scenario is over"
}

const metricsOf = ({ outcomes }: Scenario, result: ScenarioResult): Readonly<Record<string, number>> => {
  const metrics: Record<string, number> = { turns: result.turns.length }
  for (const { check, name } of outcomes) {
    const value = result.outcomes[name] ?? null
    // "Nowhere" is no place that could go into an average.
    const isNowhere = check._tag === "FirstMatchIndex" && value === -1
    if (value !== null && !isNowhere) metrics[name] = Number(value)
  }
  return metrics
}

const shown = (value: boolean | number | null): string => (value === null ? "not assessed" : String(value))

const scoreOf = (scenario: Scenario, result: ScenarioResult): CellScore => {
  const { outcomes, path, score, status } = result
  const ended = status === "completed" || status === "limit_reached"
  const named = Object.entries(outcomes).map(([name, value]) => `${name} = ${shown(value)}`)
  const reason = [`${status}: ${path.join(" -> ")}`, ...named].join("; ")
  // Path, outcomes and soft faults are in the trace, once.
  const detail = { status }
  const metrics = ended ? metricsOf(scenario, result) : {}
  const own = Scores.make(score, { reason, detail, metrics })
  return {
    score: own.score,
    passed: own.passed,
    reason,
    metrics,
    scores: [{ scorer: "scenario", weight: 1, ...own }]
  }
}

const latencyOf = ({ turns }: ScenarioResult): number | null => {
  let sum = 0
  for (const { latencyMs, output } of turns) {
    if (output === null) continue
    if (latencyMs === null) return null
    sum += latencyMs
  }
  return turns.length === 0 ? null : sum
}

/** Answered turns of an earlier play that this one has not come to: they are paid for, and kept for the next. */
const unreached = (earlier: ScenarioResult | null, result: ScenarioResult): ReadonlyArray<TurnRecord> => {
  if (earlier === null || (result.failure === null && result.status !== "run_stopped")) return []
  const keyOf = ({ contestant, node, visit }: TurnRecord) => `${node}\0${visit}\0${contestant}`
  const reached = new Set(result.turns.filter(({ output }) => output !== null).map(keyOf))
  return earlier.turns.filter((turn) => turn.output !== null && !reached.has(keyOf(turn)))
}

const allReplayed = ({ turns }: ScenarioResult): boolean =>
  turns.length > 0 && turns.every(({ source }) => source === "replay")

const playedCell = (
  scenario: Scenario,
  result: ScenarioResult,
  outOfTime: boolean,
  recorded: ReadonlyArray<TurnRecord>
): PlayedCell => ({
  answer: Generations.make({
    text: result.turns.findLast(({ output }) => output !== null)?.output ?? "",
    usage: result.usage,
    ...(allReplayed(result) ? { answeredFrom: "replay" as const } : {}),
    latencyMs: latencyOf(result),
    trace: recorded.length === 0 ? { scenario: result } : { scenario: result, recorded }
  }),
  score: scoreOf(scenario, result),
  failure: failureOf(result.failure, outOfTime) ?? (result.status === "timeout" ? outOfTimeError : null),
  elapsedMs: result.elapsedMs
})

/** Turns are inner calls: limited, retried, priced and counted like any other. */
const respondIn =
  (cell: CellContext, workspace: string | null): Respond =>
  ({ contestant, maxTokens, messages, node, params, system, temperature, turn }) =>
    Effect.map(
      cell.generate(contestant, {
        messages,
        system,
        params,
        ...(workspace === null
          ? {}
          : { scenario: { node, turn, workspace: folderOfTurn(workspace, turn), trace: null, traceFile: null } }),
        ...(maxTokens === null ? {} : { maxTokens }),
        ...(temperature === null ? {} : { temperature })
      }),
      ({ costUsd, latencyMs, text, toolCalls, toolResults, usage }) => ({
        text,
        usage,
        costUsd,
        latencyMs,
        toolCalls: toolCalls ?? [],
        ...(toolResults === undefined ? {} : { toolResults })
      })
    )

const decodeTurns = Schema.decodeUnknownResult(Schema.Array(TurnRecord))
const decodeResult = Schema.decodeUnknownResult(ScenarioResult)

/**
 * An earlier play of this scenario by this contestant; null when there is none. Where its verdicts are to count, it must
 * be the very same scenario; else checks and edges may have changed.
 */
const earlierPlay = (
  { judged, trace }: EarlierPlay,
  { hash, scenario }: CompiledScenario,
  contestant: string
): ScenarioResult | null => {
  if (typeof trace !== "object" || trace === null || !("scenario" in trace)) return null
  const earlier = decodeResult(trace.scenario)
  if (Result.isFailure(earlier)) return null
  const { success: result } = earlier
  if (result.contestant !== contestant || result.scenario !== scenario.name) return null
  if (judged && result.hash !== hash) return null
  const recorded = decodeTurns("recorded" in trace ? trace.recorded : [])
  return Result.isFailure(recorded) ? result : { ...result, turns: [...result.turns, ...recorded.success] }
}

const askIn = (judge: JudgeSettings, cell: CellContext): PlayContext["ask"] =>
  judge.model === null
    ? null
    : (prompt, scenario) =>
        Effect.map(
          inCell(judge, scenario === undefined ? cell : onTurn(cell, scenario)).ask({
            system: judge.system,
            prompt,
            schema: { type: "object" }
          }),
          ({ text }) => text
        )

/** Whether anybody may use the folders of the turns: an edge that writes the conversation, a scorer of the project. */
const usesWorkspaces = ({ nodes, scenario }: CompiledScenario): boolean =>
  scenario.edges.some(({ handover }) => handover === "transcript_materialize") ||
  [...nodes.values()].some(({ hasOwnScorers }) => hasOwnScorers)

/** Folder of a play: of one run, since an agent must not find what it did in another one. Null = it has none. */
const workspaceOf = ({ compiled, workspaces }: CellScenario, { answering, runId }: CellSurroundings): string | null => {
  const { everyTurn, root } = workspaces
  if (!everyTurn && !usesWorkspaces(compiled)) return null
  const { contestant, trial } = answering
  return join(root, runFileName(runId), folderName(compiled.scenario.name), folderName(contestant), `rep_${trial}`)
}

/** Takes the folder of this play out of a text, whichever run it was in. */
const placelessIn = (
  { compiled, workspaces: { root } }: CellScenario,
  { answering: { contestant, trial } }: CellSurroundings
): ((text: string) => string) => {
  // As it stands in JSON, and with nothing that means something in a pattern.
  const told = (path: string) =>
    JSON.stringify(path)
      .slice(1, -1)
      .replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  const own = join(folderName(compiled.scenario.name), folderName(contestant), `rep_${trial}`)
  const folder = new RegExp(`${told(root + sep)}[^/\\\\"]+${told(sep + own)}`, "g")
  return (text) => text.replaceAll(folder, "{workspace}")
}

const contextOf = (
  scenario: CellScenario,
  surroundings: CellSurroundings,
  before: ScenarioResult | null
): PlayContext => {
  const { compiled, functions, judge, traceThreshold } = scenario
  const { answering, earlier, inTime, outOfTime, recalled, request, scoring } = surroundings
  const { contestant, trial } = answering
  const workspace = workspaceOf(scenario, surroundings)
  return {
    contestant,
    judge: judge.model,
    replicate: trial,
    system: request.system,
    respond: respondIn(answering, workspace),
    permit: null,
    ask: askIn(judge, scoring),
    cell: scoring,
    functions,
    cache: null,
    cacheWaitMs: 0,
    replay: before === null ? null : storeOf(before, compiled, { verdicts: earlier?.judged ?? false }),
    replayFits: before === null ? null : askedTheSame(before.turns, placelessIn(scenario, surroundings)),
    onReplay: recalled,
    workspace,
    traceThreshold,
    onTurn: null,
    outOfTime,
    inTime
  }
}

/** Plays of one scenario in cells. */
export const inCells =
  (scenario: CellScenario): PlayCell =>
  (surroundings) => {
    const { answering, clock, earlier, outOfTime, recalled } = surroundings
    const { compiled } = scenario
    const before = earlier === null ? null : earlierPlay(earlier, compiled, answering.contestant)
    const play = startWith(clock, compiled, contextOf(scenario, surroundings, before))
    const ended = (result: ScenarioResult, late: boolean): PlayedCell => {
      const recorded = unreached(before, result)
      for (const turn of recorded) recalled(turn)
      return playedCell(compiled.scenario, result, late, recorded)
    }
    const workspace = scenario.workspaces.keep ? null : workspaceOf(scenario, surroundings)
    const played = workspace === null ? play.run : Effect.tap(play.run, (result) => removeEnded(workspace, result))
    return {
      run: Effect.map(played, (result) => ended(result, outOfTime())),
      interrupted: () => ended(play.snapshot("run_stopped"), false)
    }
  }
