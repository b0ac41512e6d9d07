import * as Schema from "effect/Schema"
import { ScorerResult } from "./Score.ts"

/** A scorer that could not judge an answer; makes that cell an error, never the run. */
export class ScorerError extends Schema.TaggedError<ScorerError>()("ScorerError", {
  scorer: Schema.String,
  detail: Schema.String,
  /** What is worth keeping of the attempt, such as a judge's prompt and reply; for the record. */
  evidence: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** Results of all scorers of the case, the failed ones unscored with their reason, so that nothing judged is lost. */
  scores: Schema.optionalKey(Schema.Array(ScorerResult))
}) {
  override get message(): string {
    return `scorer '${this.scorer}': ${this.detail}`
  }
}
