import * as Schema from "effect/Schema"

/** A scorer that could not judge an answer; makes that cell an error, never the run. */
export class ScorerError extends Schema.TaggedError<ScorerError>()("ScorerError", {
  scorer: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `scorer '${this.scorer}': ${this.detail}`
  }
}
