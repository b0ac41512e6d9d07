import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { format } from "@agent-arena/core/domain/SourcePosition"
import { plural } from "@agent-arena/core/report/Figures"
import * as JsonScenarios from "@agent-arena/core/report/JsonScenarios"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { loadScenarioFile } from "@agent-arena/core/scenario/file/LoadScenario"
import type { ScenarioResult } from "@agent-arena/core/scenario/model/Turn"
import {
  checkScenarioFile,
  readAnswers,
  readyScenarioFile,
  runScenarioFile
} from "@agent-arena/core/scenario/RunScenarioFile"
import { capture } from "@agent-arena/core/scenario/replay/Capture"
import * as ReplayFile from "@agent-arena/core/scenario/replay/ReplayFile"
import { ReplayStore } from "@agent-arena/core/scenario/replay/ReplayStore"
import { scenariosOf } from "@agent-arena/core/scenario/ScenarioOfCase"
import { graphText } from "@agent-arena/core/scenario/view/GraphText"
import { mermaid } from "@agent-arena/core/scenario/view/Mermaid"
import { pathsText } from "@agent-arena/core/scenario/view/PathText"
import { collectPlays, type ScenarioStatistics } from "@agent-arena/core/scenario/view/PlayStatistics"
import { transcriptText } from "@agent-arena/core/scenario/view/TranscriptText"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type {
  ScenarioCheckInput,
  ScenarioGraphInput,
  ScenarioPathsInput,
  ScenarioReplayInput,
  ScenarioRunInput
} from "../commands/scenario.ts"
import { ExitStatus } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { loadProject } from "./projects.ts"
import { playDocument, projectionText } from "./scenario/playDocument.ts"
import { type Projection, recordedAnswers } from "./scenario/recordings.ts"
import { namedRun } from "./scenario/results.ts"

const tell = Effect.fnUntraced(function* (result: ScenarioResult, json: boolean, projection: Projection | null = null) {
  const { stderr, stdout } = yield* Output
  if (projection !== null && !json) yield* stderr.write(projectionText(projection))
  yield* stdout.write(json ? playDocument(result, projection) : transcriptText(result))
})

/** `arena scenario run`. */
export const runScenario = Effect.fn("arena.scenario.run")(function* (input: ScenarioRunInput) {
  const script = yield* readAnswers(input.answers)
  const result = yield* runScenarioFile(input.file, {
    script,
    replicate: Option.getOrNull(input.replicate),
    workspace: Option.getOrNull(input.workspace)
  })
  if (Option.isSome(input.record)) {
    const { compiled } = yield* readyScenarioFile(input.file)
    const store = new ReplayStore()
    capture(store, [result], new Map([[compiled.scenario.name, compiled]]))
    yield* ReplayFile.save(input.record.value, store)
  }
  yield* tell(result, input.json)
})

/** `arena scenario replay`. */
export const replayScenario = Effect.fn("arena.scenario.replay")(function* (input: ScenarioReplayInput) {
  const { compiled } = yield* readyScenarioFile(input.file)
  const { contestant, judge, projection, replay, replicate } = yield* Effect.scoped(recordedAnswers(input, compiled))
  if (Option.isSome(input.record)) yield* ReplayFile.save(input.record.value, replay)
  const script = Option.isSome(input.answers) ? yield* readAnswers(input.answers.value) : { answers: [], judge: [] }
  const judged = judge === null ? {} : { judge }
  const result = yield* runScenarioFile(input.file, { script, replay, contestant, replicate, ...judged })
  yield* tell(result, input.json, projection)
  // A script may ask for an error; a recording that does not hold the play is one.
  if (result.status === "error") return yield* new ExitStatus({ code: 1 })
})

const warningLine = ({ message, position, suggestion }: ProjectIssue): string =>
  sanitiseLine(`${format(position)}  ${message}${suggestion === null ? "" : ` (${suggestion})`}`)

/** `arena scenario check`. */
export const checkScenario = Effect.fn("arena.scenario.check")(function* (input: ScenarioCheckInput) {
  const { stdout } = yield* Output
  const { style } = stdout
  const { edges, name, nodes, outcomes, warnings } = yield* checkScenarioFile(input.file)
  if (input.json) {
    const told = warnings.map(({ message, position, suggestion }) => ({ ...position, message, suggestion }))
    yield* stdout.write(
      `${stringify({ schema_version: 1, valid: true, scenario: name, nodes, edges, outcomes, warnings: told }, 2)}\n`
    )
  } else {
    const counts = `${plural(nodes, "node")}, ${plural(edges, "edge")}, ${plural(outcomes, "outcome")}`
    const lines = [
      `${style.good("✓")} ${sanitiseLine(name)}: ${counts}`,
      ...warnings.map((warning) => `${style.warn("!")} ${warningLine(warning)}`)
    ]
    yield* stdout.write(`${lines.join("\n")}\n`)
  }
  if (input.strict && warnings.length > 0) return yield* new ExitStatus({ code: 1 })
})

/** `arena scenario graph`. */
export const drawScenario = Effect.fn("arena.scenario.graph")(function* (input: ScenarioGraphInput) {
  const { stdout } = yield* Output
  const { scenario } = yield* loadScenarioFile(input.file)
  if (input.json) return yield* stdout.write(`${stringify({ schema_version: 1, scenario }, 2)}\n`)
  yield* stdout.write(input.mermaid ? mermaid(scenario) : graphText(scenario))
})

/** What must be known of a run whose plays are not all there; empty for one that is whole. */
const partialLine = ({ counts, runId, status, stopReason }: RunRecord): string => {
  if (status === "completed") return ""
  const why = stopReason === null ? "" : ` (${stopReason})`
  return sanitiseLine(`! ${runId} is ${status}${why}: ${counts.finished} of ${counts.planned} cells have an outcome`)
}

const pathsDocument = (run: RunRecord, scenarios: ReadonlyArray<ScenarioStatistics>) => ({
  schema_version: 1,
  run_id: run.runId,
  status: run.status,
  stop_reason: run.stopReason,
  planned: run.counts.planned,
  finished: run.counts.finished,
  scenarios: scenarios.map(JsonScenarios.toJson)
})

/** `arena scenario paths`. */
export const showPaths = (input: ScenarioPathsInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const project = yield* loadProject(input)
    const { run, store } = yield* namedRun(project, input)
    const plays = collectPlays(scenariosOf(project.cases))
    yield* Stream.runForEachArray(store.results(run.runId), (results) => Effect.sync(() => results.forEach(plays.add)))
    const scenarios = plays.statistics()
    if (input.json) return yield* stdout.write(`${stringify(pathsDocument(run, scenarios), 2)}\n`)
    const text = pathsText(scenarios)
    const partial = partialLine(run)
    const lines = [
      ...(partial === "" ? [] : [stdout.style.warn(partial), ""]),
      text === "" ? "this run has no plays of scenarios\n" : text
    ]
    yield* stdout.write(lines.join("\n"))
  }).pipe(Effect.scoped)
