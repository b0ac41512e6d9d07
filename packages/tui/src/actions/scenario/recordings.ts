/** What `arena scenario replay` takes answers from: a recording in a file, or a stored run. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import { Arena } from "@agent-arena/core/engine/Arena"
import type { CompiledScenario } from "@agent-arena/core/scenario/play/Compiled"
import { capture } from "@agent-arena/core/scenario/replay/Capture"
import { type PlainAnswer, plainAnswer, questionOf } from "@agent-arena/core/scenario/replay/PlainAnswers"
import { type ProjectionReport, ScenarioProjection } from "@agent-arena/core/scenario/replay/Projection"
import * as ReplayFile from "@agent-arena/core/scenario/replay/ReplayFile"
import { ReplayStore } from "@agent-arena/core/scenario/replay/ReplayStore"
import { playOf } from "@agent-arena/core/scenario/view/ScenarioOfResult"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ScenarioReplayInput } from "../../commands/scenario.ts"
import { CommandError } from "../../process/Failure.ts"
import { engine } from "../engine.ts"
import { findRun, type ProjectStores, readStores } from "../projectStores.ts"
import { loadProject } from "../projects.ts"

/** Recorded answers, and whom and what they are of. */
export interface Recorded {
  readonly replay: ReplayStore
  readonly contestant: string
  /** Whose verdicts the recording holds; null = nobody's. */
  readonly judge: string | null
  readonly replicate: number | null
  /** Null = nothing was projected. */
  readonly projection: Projection | null
}

/** What has become of the answers of ordinary cases. */
export interface Projection extends ProjectionReport {
  /** Cases that ask the question of a node now, and asked another one in the run. */
  readonly changedCases: ReadonlyArray<string>
}

/** A run whose answers are wanted. */
interface RunSource {
  readonly stores: ProjectStores
  readonly project: Project
  readonly id: RunId
  readonly contestant: string
  readonly trial: number
}

const refuse = (kind: string, message: string, suggestion: string | null = null) =>
  Effect.fail(new CommandError({ kind, message, suggestion }))

const contestantOf = (wanted: Option.Option<string>, known: ReadonlyArray<string>) => {
  const [first, second] = known
  if (Option.isSome(wanted)) {
    return known.includes(wanted.value)
      ? Effect.succeed(wanted.value)
      : refuse("not_found", `${wanted.value} is no contestant of the run`, `it has ${known.join(", ")}`)
  }
  return first !== undefined && second === undefined
    ? Effect.succeed(first)
    : refuse("usage", "the run has several contestants", `name one with --contestant: ${known.join(", ")}`)
}

/** Results of a run, one page at a time: what is not wanted is not kept. */
const eachResult = ({ id, stores }: RunSource, see: (result: CallResult) => void) =>
  Stream.runForEachArray(stores.store.results(id), (results) => Effect.sync(() => results.forEach(see)))

const fromPlays = Effect.fnUntraced(function* (source: RunSource, compiled: CompiledScenario, strict: boolean) {
  const { contestant, id, trial } = source
  const { name } = compiled.scenario
  const replay = new ReplayStore(strict ? "strict" : "fall_through")
  let judge: string | null = null
  yield* eachResult(source, (result) => {
    if (result.caseId !== name || result.contestant !== contestant || result.trial !== trial) return
    const play = playOf(result)
    if (play === null) return
    judge = play.judge
    capture(replay, [play], new Map([[name, compiled]]))
  })
  if (replay.size === 0) {
    const message = `${id} has no answers of scenario "${name}" by ${contestant}, repetition ${trial}`
    return yield* refuse("not_found", message, "answers of ordinary cases are taken with --onto NODE")
  }
  return { replay, contestant, judge, replicate: trial, projection: null } satisfies Recorded
})

/** The cases that ask what the run asked: the record of a case is no answer to a question that it did not have then. */
const unchangedCases = Effect.fnUntraced(function* ({ id, project, stores }: RunSource) {
  const { caseHashes } = yield* Effect.provide(Arena.hashes(project), engine)
  const stored = yield* stores.reuse.stored(id)
  const then = new Map<string, string | null>(stored?.cases.map(({ id: caseId, input }) => [caseId, input]))
  return new Set<string>(
    project.cases.flatMap(({ id: caseId }, index) => (then.get(caseId) === caseHashes[index]?.input ? [caseId] : []))
  )
})

const fromCases = Effect.fnUntraced(function* (
  source: RunSource,
  { scenario }: CompiledScenario,
  nodes: ReadonlyArray<string>,
  strict: boolean
) {
  const { contestant, project, trial } = source
  const asked = new Set(scenario.nodes.flatMap(({ id, prompt }) => (nodes.includes(id) ? [prompt] : [])))
  const candidates = project.cases.filter((testCase) => asked.has(questionOf(testCase) ?? ""))
  const unchanged = yield* unchangedCases(source)
  const cases = new Map(candidates.flatMap((one) => (unchanged.has(one.id) ? [[one.id, one] as const] : [])))
  const answers: Array<PlainAnswer> = []
  yield* eachResult(source, (result) => {
    const testCase = cases.get(result.caseId)
    const answer = testCase === undefined || result.trial !== trial ? null : plainAnswer(testCase, result)
    if (answer !== null) answers.push(answer)
  })
  const projected = new ScenarioProjection([scenario], [contestant], strict ? "strict" : "fall_through")
  const replay = Result.andThen(projected.add(answers, { nodes }), () => projected.build(strict))
  if (Result.isFailure(replay)) return yield* refuse("projection", replay.failure.message, replay.failure.suggestion)
  const changedCases = candidates.flatMap(({ id }) => (unchanged.has(id) ? [] : [id]))
  const projection = { ...projected.report(), changedCases }
  return { replay: replay.success, contestant, judge: null, replicate: trial, projection } satisfies Recorded
})

const fromRun = Effect.fnUntraced(function* (input: ScenarioReplayInput, compiled: CompiledScenario) {
  const project = yield* loadProject({ ...input, project: Option.none() })
  const stores = yield* readStores(project)
  const { runId: id } = yield* findRun(
    stores,
    project,
    Option.getOrElse(input.run, () => "latest")
  )
  const header = yield* stores.store.header(id)
  const keys = header?.rules.contestants.flatMap(({ key, skipped }) => (skipped === null ? [key] : [])) ?? []
  const contestant = yield* contestantOf(input.contestant, keys)
  const source: RunSource = { stores, project, id, contestant, trial: Option.getOrElse(input.trial, () => 1) }
  return yield* input.onto.length === 0
    ? fromPlays(source, compiled, input.strict)
    : fromCases(source, compiled, input.onto, input.strict)
})

const fromFile = (path: string, input: ScenarioReplayInput) =>
  Effect.map(ReplayFile.load(path, input.strict ? "strict" : undefined), (replay): Recorded => {
    const contestant = Option.getOrElse(input.contestant, () => "scripted")
    return { replay, contestant, judge: null, replicate: Option.getOrNull(input.trial), projection: null }
  })

/** The answers that a command line names. */
export const recordedAnswers = Effect.fnUntraced(function* (input: ScenarioReplayInput, compiled: CompiledScenario) {
  const ofRun = Option.isSome(input.run) || input.onto.length > 0
  if (Option.isSome(input.recording)) {
    if (!ofRun) return yield* fromFile(input.recording.value, input)
    return yield* refuse("usage", "--recording and a run are two sources of answers", "name one")
  }
  if (ofRun) return yield* fromRun(input, compiled)
  return yield* refuse("usage", "there are no answers to play", "name --recording FILE, or a run with --run RUN")
})
