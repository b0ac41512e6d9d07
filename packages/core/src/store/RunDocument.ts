/**
 * An exported run: lines of JSON, one object a line, told apart by `type`. The first is the `run`, then its segments,
 * contestants and cases, then its results, and last `end` with their number, so that a file that was cut off is
 * recognised.
 */
import * as Schema from "effect/Schema"
import { CallResult } from "../domain/CallResult.ts"
import { CaseId, ContestantKey, RunId } from "../domain/Ids.ts"
import { Leaderboard } from "../domain/Leaderboard.ts"
import { RunHost, RunRecord, RunStatus } from "../domain/Run.ts"

export const format = "agent-arena-run"
export const version = 1

const Text = Schema.NullOr(Schema.String)

const RunLine = Schema.Struct({
  type: Schema.Literal("run"),
  format: Schema.Literal(format),
  version: Schema.Literal(version),
  record: RunRecord,
  notes: Text,
  tags: Schema.Array(Schema.String),
  description: Schema.String,
  /** The rules it was ranked under, without their cases. */
  rules: Schema.Record(Schema.String, Schema.Unknown),
  leaderboard: Schema.NullOr(Leaderboard)
})

const SegmentLine = Schema.Struct({
  type: Schema.Literal("segment"),
  segment: Schema.Int,
  kind: Schema.Literals(["start", "resume", "reuse"]),
  startedAt: Schema.String,
  finishedAt: Text,
  status: Schema.NullOr(RunStatus),
  stopReason: Text,
  arenaVersion: Schema.String,
  gitSha: Text,
  host: Schema.NullOr(RunHost),
  sourceRunId: Schema.NullOr(RunId),
  config: Schema.Unknown
})

const ContestantLine = Schema.Struct({
  type: Schema.Literal("contestant"),
  key: ContestantKey,
  model: Schema.String,
  provider: Schema.String,
  hash: Text,
  planned: Schema.Boolean
})

const CaseLine = Schema.Struct({
  type: Schema.Literal("case"),
  id: CaseId,
  inputHash: Text,
  scoringHash: Text,
  weight: Schema.Finite,
  tags: Schema.Array(Schema.String),
  planned: Schema.Boolean
})

/**
 * `stale` is 0, 1 or 2; `superseded` says why a later result has replaced this one, null = it stands. `paidUsd` is what
 * the run has paid for it; absent = what the result itself says.
 */
const ResultLine = Schema.Struct({
  type: Schema.Literal("result"),
  segment: Schema.Int,
  stale: Schema.Int,
  superseded: Schema.NullOr(Schema.Literals(["rerun", "rescored"])),
  paidUsd: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  result: CallResult
})

const EndLine = Schema.Struct({ type: Schema.Literal("end"), results: Schema.Int })

export const Line = Schema.Union([RunLine, SegmentLine, ContestantLine, CaseLine, ResultLine, EndLine])
export type Line = typeof Line.Type
export type RunLine = typeof RunLine.Type
export type SegmentLine = typeof SegmentLine.Type
export type ContestantLine = typeof ContestantLine.Type
export type CaseLine = typeof CaseLine.Type
export type ResultLine = typeof ResultLine.Type

export const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Line))
