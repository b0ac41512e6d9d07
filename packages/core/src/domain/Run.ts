import * as Schema from "effect/Schema"
import { RunId } from "./Ids.ts"

/** How an ended run is told to a person; `error` carries the message. */
export const StopReason = Schema.Union([
  Schema.Literals(["completed", "cancelled", "budget", "time_limit", "deadline", "interrupted", "fail_fast"]),
  Schema.TemplateLiteral(["error: ", Schema.String])
])
export type StopReason = typeof StopReason.Type

/** Why a run was asked to stop before its plan was done. */
export type StopRequest = Exclude<StopReason, "completed">

export const RunStatus = Schema.Literals(["running", "completed", "partial", "aborted", "failed"])
export type RunStatus = typeof RunStatus.Type

/** The legal (status, stop reason) pairs of design §6; nothing else can be written. */
export const RunEnding = Schema.Union([
  Schema.Struct({ status: Schema.Literal("completed"), stopReason: Schema.Literal("completed") }),
  Schema.Struct({
    status: Schema.Literal("partial"),
    stopReason: Schema.Literals(["cancelled", "budget", "time_limit"])
  }),
  Schema.Struct({
    status: Schema.Literal("aborted"),
    stopReason: Schema.Union([
      Schema.Literals(["deadline", "interrupted", "fail_fast"]),
      Schema.TemplateLiteral(["error: ", Schema.String])
    ])
  }),
  Schema.Struct({
    status: Schema.Literal("failed"),
    stopReason: Schema.Union([
      Schema.Literals(["cancelled", "budget", "time_limit", "deadline", "interrupted", "fail_fast"]),
      Schema.TemplateLiteral(["error: ", Schema.String])
    ])
  })
])
export type RunEnding = typeof RunEnding.Type

/** The ending that follows from why the run stopped and whether any cell has an outcome of its own. */
export const ending = (request: StopRequest | null, finished: number): RunEnding => {
  if (request === null) return { status: "completed", stopReason: "completed" }
  if (finished === 0) return { status: "failed", stopReason: request }
  switch (request) {
    case "cancelled":
    case "budget":
    case "time_limit":
      return { status: "partial", stopReason: request }
    default:
      return { status: "aborted", stopReason: request }
  }
}

/** `planned = finished + interrupted + notStarted`, always. `errored` and `timedOut` are among `finished`. */
export const CellCounts = Schema.Struct({
  planned: Schema.Int,
  finished: Schema.Int,
  interrupted: Schema.Int,
  notStarted: Schema.Int,
  errored: Schema.Int,
  timedOut: Schema.Int
})
export type CellCounts = typeof CellCounts.Type

/** Limits in force, seconds; null = off. */
export const Limits = Schema.Struct({
  requestTimeoutS: Schema.NullOr(Schema.Finite),
  idleTimeoutS: Schema.NullOr(Schema.Finite),
  cellTimeoutS: Schema.NullOr(Schema.Finite),
  maxWallS: Schema.NullOr(Schema.Finite)
})
export type Limits = typeof Limits.Type

/** Where a run executes, so that another process can tell whether it is still alive. */
export const RunHost = Schema.Struct({
  pid: Schema.Int,
  hostname: Schema.String,
  bootId: Schema.NullOr(Schema.String),
  /** When the process started, in whatever form the system says it; tells a reused pid from the same process. */
  processStart: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Name space in which `pid` is meant; two containers of one machine have different ones. */
  pidNamespace: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type RunHost = typeof RunHost.Type

/** The row of a run. Times are ISO 8601 UTC. */
export const RunRecord = Schema.Struct({
  runId: RunId,
  project: Schema.String,
  label: Schema.NullOr(Schema.String),
  startedAt: Schema.String,
  finishedAt: Schema.NullOr(Schema.String),
  status: RunStatus,
  stopReason: Schema.NullOr(Schema.String),
  arenaVersion: Schema.String,
  gitSha: Schema.NullOr(Schema.String),
  counts: CellCounts,
  contestants: Schema.Int,
  cases: Schema.Int,
  trials: Schema.Int,
  /** Contestant key of the declared winner; null when the verdict is unresolved. */
  winner: Schema.NullOr(Schema.String),
  /** Sum of the known costs, USD; null when none is known. */
  totalCostUsd: Schema.NullOr(Schema.Finite),
  limits: Limits,
  host: Schema.NullOr(RunHost),
  heartbeatAt: Schema.NullOr(Schema.String),
  durationMs: Schema.NullOr(Schema.Finite)
})
export type RunRecord = typeof RunRecord.Type
