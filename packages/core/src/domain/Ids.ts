/** Branded names of the things a run is made of, so that a case id can never be passed as a contestant key. */
import * as Schema from "effect/Schema"

/** Unique name of a contestant inside a project; the row of the leaderboard. */
export const ContestantKey = Schema.NonEmptyString.pipe(Schema.brand("ContestantKey"))
export type ContestantKey = typeof ContestantKey.Type

/** Unique name of a test case inside a project. */
export const CaseId = Schema.NonEmptyString.pipe(Schema.brand("CaseId"))
export type CaseId = typeof CaseId.Type

/** Name of one execution of a plan: `run_YYYYmmdd_HHMMSS_xxxxxx` (UTC). */
export const RunId = Schema.NonEmptyString.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type
