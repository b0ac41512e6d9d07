import * as Schema from "effect/Schema"

/** A place in a file of the project; `line` and `column` are 1-based, null when the format has no positions. */
export const SourcePosition = Schema.Struct({
  file: Schema.String,
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int)
})
export type SourcePosition = typeof SourcePosition.Type

/** `file:line:column`, as editors and terminals understand it. */
export const format = (position: SourcePosition): string =>
  position.line === null
    ? position.file
    : `${position.file}:${position.line}${position.column === null ? "" : `:${position.column}`}`
