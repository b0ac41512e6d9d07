import * as Schema from "effect/Schema"
import { format, SourcePosition } from "./SourcePosition.ts"

/** One thing that is wrong with a project folder, and what to do about it. */
export const ProjectIssue = Schema.Struct({
  position: SourcePosition,
  /** What is wrong, in one sentence, without the position. */
  message: Schema.String,
  /** What to do; null when the message says it. */
  suggestion: Schema.NullOr(Schema.String)
})
export type ProjectIssue = typeof ProjectIssue.Type

const line = (issue: ProjectIssue): string =>
  `${format(issue.position)}  ${issue.message}${issue.suggestion === null ? "" : ` (${issue.suggestion})`}`

/** Everything that is wrong with a project, at once; one line an issue. */
export class ProjectError extends Schema.TaggedError<ProjectError>()("ProjectError", {
  issues: Schema.NonEmptyArray(ProjectIssue)
}) {
  override get message(): string {
    return this.issues.map(line).join("\n")
  }
}
