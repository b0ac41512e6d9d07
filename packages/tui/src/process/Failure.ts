import * as Schema from "effect/Schema"

/** A command that cannot do what was asked, in words for the user: what is wrong and what to do. Exit code 1. */
export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", {
  /** Machine-readable sort of failure for `--json`: `usage`, `not_found`, `file`, … */
  kind: Schema.String,
  message: Schema.String,
  /** What to do; null when the message says it. */
  suggestion: Schema.NullOr(Schema.String)
}) {}

/** The command has done and told everything; the process ends with this code. */
export class ExitStatus extends Schema.TaggedError<ExitStatus>()("ExitStatus", { code: Schema.Int }) {}
