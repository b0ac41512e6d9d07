import * as Schema from "effect/Schema"

/** The database could not do what was asked. `operation` names it; `detail` holds SQLite's description, never row data. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  path: Schema.String,
  detail: Schema.String,
  /** What the user can do about it; null when there is nothing to advise. */
  suggestion: Schema.NullOr(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.path}: ${this.operation} failed: ${this.detail}${this.suggestion === null ? "" : ` (${this.suggestion})`}`
  }
}
