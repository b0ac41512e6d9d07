/** The report as one JSON document, written piece by piece: the results never are in memory together. */
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { RunRecord, RunStatus } from "../domain/Run.ts"
import type { RunReport } from "../domain/RunReport.ts"
import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import type { RunSegment } from "../store/RunSegments.ts"
import * as JsonLeaderboard from "./JsonLeaderboard.ts"
import * as JsonResult from "./JsonResult.ts"
import * as JsonScenarios from "./JsonScenarios.ts"
import { stringify } from "./JsonText.ts"
import * as ReportModel from "./ReportModel.ts"

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
export const schemaVersion = 1

/** A run that was aborted with results is exchanged as `partial`, so that a reader needs three words only. */
const interchangeStatus: Readonly<Record<RunStatus, string>> = {
  running: "running",
  completed: "completed",
  partial: "partial",
  aborted: "partial",
  failed: "failed"
}

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms) / 1000)

/** A run as every command shows it. */
export const runToJson = (run: RunRecord) => ({
  run_id: run.runId,
  project: run.project,
  label: run.label,
  status: run.status,
  run_status: interchangeStatus[run.status],
  stop_reason: run.stopReason,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
  duration_s: seconds(run.durationMs),
  n_models: run.contestants,
  n_tests: run.cases,
  trials: run.trials,
  planned: run.counts.planned,
  finished: run.counts.finished,
  interrupted: run.counts.interrupted,
  not_started: run.counts.notStarted,
  errors: run.counts.errored,
  timed_out: run.counts.timedOut,
  winner: run.winner,
  total_cost_usd: run.totalCostUsd,
  limits: {
    request_timeout_s: run.limits.requestTimeoutS,
    idle_timeout_s: run.limits.idleTimeoutS,
    cell_timeout_s: run.limits.cellTimeoutS,
    max_wall_s: run.limits.maxWallS
  },
  arena_version: run.arenaVersion,
  git_sha: run.gitSha
})

const skipped = (rules: RankingRules) =>
  Object.fromEntries(rules.contestants.flatMap(({ key, skipped }) => (skipped === null ? [] : [[key, skipped]])))

/** A start, a resume, or results taken over from another run. */
export const partToJson = (part: RunSegment) => ({
  kind: part.kind,
  started_at: part.startedAt,
  finished_at: part.finishedAt,
  status: part.status,
  stop_reason: part.stopReason,
  source_run_id: part.sourceRunId,
  arena_version: part.arenaVersion,
  git_sha: part.gitSha,
  results: part.results
})

/** Everything but the results and the scenarios. */
export const head = (report: RunReport, { generatedAt, parts }: Pick<JsonOptions, "generatedAt" | "parts">) => ({
  schema_version: schemaVersion,
  generated_at: generatedAt,
  ...runToJson(report.run),
  description: report.description,
  problems: report.problems,
  parts: parts?.map(partToJson) ?? null,
  skipped_models: skipped(report.rules),
  leaderboard: JsonLeaderboard.toJson(report.leaderboard, ReportModel.isWhole(report))
})

export interface JsonOptions {
  /** ISO 8601 UTC. */
  readonly generatedAt: string
  /** The parts that the run is made of, in the order in which they began; null = they could not be read. */
  readonly parts: ReadonlyArray<RunSegment> | null
  /** Asked when all results have been read: scenarios that were played; empty for a run without. */
  readonly scenarios: () => ReadonlyArray<ScenarioStatistics>
}

const scenariosAsText = (scenarios: ReadonlyArray<ScenarioStatistics>): string =>
  scenarios.map((one) => `\n    ${stringify(JsonScenarios.toJson(one))}`).join(",")

/** The document in pieces of a few hundred results; joined they are valid JSON ending in a line feed. */
export const render = <E, R>(
  report: RunReport,
  results: Stream.Stream<CallResult, E, R>,
  options: JsonOptions
): Stream.Stream<string, E, R> =>
  Stream.suspend(() => {
    const opening = stringify(head(report, options), 2).replace(/\n\}$/, ",\n")
    const tags = new Map<string, ReadonlyArray<string>>(report.rules.cases.map(({ id, tags }) => [id, tags]))
    let count = 0
    const row = (result: CallResult): string =>
      `${count++ === 0 ? "" : ","}\n    ${stringify(JsonResult.toJson(result, tags.get(result.caseId) ?? []))}`
    return Stream.succeed(`${opening}  "results": [`).pipe(
      Stream.concat(Stream.map(Stream.chunks(results), (chunk) => chunk.map(row).join(""))),
      Stream.concat(
        Stream.suspend(() => {
          const played = scenariosAsText(options.scenarios())
          const end = count === 0 ? "]" : "\n  ]"
          return Stream.succeed(`${end},\n  "scenarios": [${played}${played === "" ? "" : "\n  "}]\n}\n`)
        })
      )
    )
  })
