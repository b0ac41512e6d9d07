/** One round of a watch: a run, what has drifted in it, and who is told. */
import type { ConnectorError } from "@agent-arena/core/connector/Connector"
import { resolveEnv } from "@agent-arena/core/connector/EnvReferences"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import type { ContestantDrift } from "@agent-arena/core/engine/watch/Drift"
import { driftSentence } from "@agent-arena/core/engine/watch/DriftText"
import { stringify } from "@agent-arena/core/report/JsonText"
import { stopClause } from "@agent-arena/core/report/ReportModel"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { Style } from "@agent-arena/core/report/Style"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WatchInput } from "../../commands/watch.ts"
import { Output } from "../../process/Output.ts"
import { readStores } from "../projectStores.ts"
import { loadProject } from "../projects.ts"
import { confirmSpend } from "../run/confirm.ts"
import { execute } from "../run/execute.ts"
import { exitCode } from "../run/gates.ts"
import { overridesOf } from "../run/overrides.ts"
import { compareWithPast } from "./compare.ts"
import { post, type WebhookError } from "./webhook.ts"

const driftToJson = (drift: ContestantDrift) => ({
  contestant: drift.key,
  verdict: drift.verdict,
  flagged: drift.flagged,
  status: drift.status,
  previous_status: drift.previousStatus,
  status_changed: drift.statusChanged,
  composite: drift.composite,
  baseline_composite: drift.baselineComposite,
  baseline_runs: drift.baselineRuns,
  reason: drift.reason,
  measures: drift.measures.map(({ difference, measure, pValue, sharedCases, verdict }) => ({
    measure,
    verdict,
    difference,
    p_value: pValue,
    shared_cases: sharedCases
  })),
  sentence: driftSentence(drift)
})

/** The run and what was found, as programs read it. */
const toJson = (project: Project, { run }: RunReport, found: ReadonlyArray<ContestantDrift>) => ({
  schema_version: 1,
  project: run.project,
  run_id: run.runId,
  at: run.finishedAt,
  run_status: run.status,
  stop_reason: run.stopReason,
  threshold: project.watch.driftThreshold,
  flagged: found.filter(({ flagged }) => flagged).length,
  drifts: found.map(driftToJson)
})

const mark = ({ flagged, verdict }: ContestantDrift, style: Style): string => {
  if (flagged) return style.bad("!")
  return verdict === "stable" ? style.good("✓") : style.dim("·")
}

const toText = ({ run }: RunReport, found: ReadonlyArray<ContestantDrift>, style: Style): string => {
  const title = `${run.finishedAt ?? run.startedAt}  ${run.runId}  ${run.status}`
  const lines =
    run.status === "completed"
      ? found.map((drift) => `${mark(drift, style)} ${sanitiseLine(driftSentence(drift))}`)
      : [`${style.warn("!")} not compared, because ${sanitiseLine(stopClause(run.stopReason))}`]
  return `${[style.bold(title), ...lines].join("\n")}\n`
}

/** Tells the webhook what is flagged; its failure is told and changes nothing. */
const notify = Effect.fnUntraced(function* (
  project: Project,
  input: WatchInput,
  { run }: RunReport,
  found: ReadonlyArray<ContestantDrift>
) {
  const { stderr } = yield* Output
  const flagged = found.filter((drift) => drift.flagged)
  const address = Option.getOrElse(input.webhook, () => project.watch.webhook)
  if (flagged.length === 0 || address === null) return
  const body = {
    schema_version: 1,
    project: run.project,
    run_id: run.runId,
    at: run.finishedAt,
    flagged: flagged.map(driftToJson)
  }
  const told: Effect.Effect<void, ConnectorError | WebhookError> = Effect.gen(function* () {
    const env = { ...project.env, ...process.env }
    const { value } = yield* Effect.fromResult(resolveEnv({ url: address }, env, "the webhook"))
    yield* post(value["url"] ?? address, body)
  })
  yield* Effect.catch(told, (error) => stderr.write(`${stderr.style.warn("!")} ${sanitiseLine(error.message)}\n`))
})

const loadWatched = (input: WatchInput) =>
  loadProject(input, {
    ...overridesOf({ ...input, cache: Option.none(), record: Option.none(), replay: Option.none() }),
    // An answer from before says nothing about now.
    cache: false,
    ...(Option.isSome(input.driftThreshold) ? { driftThreshold: input.driftThreshold.value } : {})
  })

/** Runs the project once and tells what has drifted. Returns the exit code that follows from it. */
export const tick = (input: WatchInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const project = yield* loadWatched(input)
    yield* confirmSpend(project, null, input)
    const execution = { events: Option.none(), label: Option.some("watch"), quiet: input.quiet }
    const { report } = yield* execute(project, execution, {})
    const stores = yield* readStores(project)
    const rules = { threshold: project.watch.driftThreshold, statistics: project.statistics }
    const found = report.run.status === "completed" ? yield* compareWithPast(stores, report, input.history, rules) : []
    yield* stdout.write(
      input.json ? `${stringify(toJson(project, report, found))}\n` : toText(report, found, stdout.style)
    )
    yield* notify(project, input, report, found)
    return exitCode(report, input.failOnDrift ? found.filter(({ flagged }) => flagged).map(driftSentence) : [])
  }).pipe(Effect.scoped)
