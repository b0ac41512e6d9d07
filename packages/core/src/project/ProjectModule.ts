import * as Schema from "effect/Schema"

/** A module of the project that cannot be used. */
export class ModuleError extends Schema.TaggedError<ModuleError>()("ModuleError", {
  /** As written in the config: `file.ts` or a package name. */
  module: Schema.String,
  exportName: Schema.NullOr(Schema.String),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.module}${this.exportName === null ? "" : `:${this.exportName}`}: ${this.detail}`
  }
}
