import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** What stood in the way, for programs to decide by; `detail` is for people. */
export const StoreProblem = Schema.Literals([
  /** There is no database file. */
  "missing",
  /** The file is something else than a result store. */
  "foreign",
  /** Written by a newer version of the program. */
  "newer_version",
  "corrupt",
  /** Another process held the lock for too long. */
  "locked",
  "read_only",
  "disk_full",
  "io",
  /** Path or permissions do not allow to open the file. */
  "cannot_open",
  /** The thing exists already, or somebody else owns it. */
  "conflict",
  "not_found",
  /** The writer is closed. */
  "closed",
  /** What was given cannot be stored or imported. */
  "invalid",
  "unknown"
])
export type StoreProblem = typeof StoreProblem.Type

/** The database could not do what was asked. `operation` names it; `detail` holds SQLite's description, never row data. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  path: Schema.String,
  detail: Schema.String,
  problem: StoreProblem.pipe(Schema.withConstructorDefault(Effect.succeed("unknown"))),
  /** What the user can do about it; null when there is nothing to advise. */
  suggestion: Schema.NullOr(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.path}: ${this.operation} failed: ${this.detail}${this.suggestion === null ? "" : ` (${this.suggestion})`}`
  }
}
