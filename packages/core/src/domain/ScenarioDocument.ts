import * as Schema from "effect/Schema"

/** A scenario file as it stands: read, not yet checked. `file` is as shown to the user. */
export const ScenarioDocument = Schema.TaggedStruct("ScenarioDocument", {
  file: Schema.String,
  text: Schema.String,
  /** The text decoded, for hashing. */
  value: Schema.Unknown
})
export type ScenarioDocument = typeof ScenarioDocument.Type
