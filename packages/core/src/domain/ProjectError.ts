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

/** Positions longer than this do not push the messages of the others to the right. */
const widest = 60

/** One line an issue, messages aligned. */
const lines = (issues: ReadonlyArray<ProjectIssue>): ReadonlyArray<string> => {
  const positions = issues.map((issue) => format(issue.position))
  const width = Math.max(...positions.map(({ length }) => (length > widest ? 0 : length)))
  return issues.map(({ message, suggestion }, index) => {
    const position = (positions[index] ?? "").padEnd(width)
    return `${position}  ${message}${suggestion === null ? "" : ` (${suggestion})`}`
  })
}

/** Everything that is wrong with a project, at once; one line an issue. */
export class ProjectError extends Schema.TaggedError<ProjectError>()("ProjectError", {
  issues: Schema.NonEmptyArray(ProjectIssue)
}) {
  override get message(): string {
    return lines(this.issues).join("\n")
  }
}
