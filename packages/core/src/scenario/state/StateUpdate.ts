import * as Schema from "effect/Schema"
import { Condition } from "../condition/Condition.ts"

/** Values by name; texts are templates, and a text that is one template alone stands for the value itself. */
const Values = Schema.Record(Schema.String, Schema.Unknown)

/** A change of the accumulated state after a turn. All changes of a node are made together or not at all. */
export const StateUpdate = Schema.Union([
  Schema.TaggedStruct("Set", { values: Values, when: Schema.NullOr(Condition) }),
  /** Adds numbers; a missing one counts as 0. */
  Schema.TaggedStruct("Add", { values: Values, when: Schema.NullOr(Condition) }),
  /** Appends to lists; a missing one counts as empty. */
  Schema.TaggedStruct("Append", { values: Values, when: Schema.NullOr(Condition) }),
  /** Merges into mappings; a missing one counts as empty. */
  Schema.TaggedStruct("Merge", { values: Values, when: Schema.NullOr(Condition) }),
  /** `file.ts:function`, called with the accumulated state and the parsed fields; returns the new state. */
  Schema.TaggedStruct("Function", { function: Schema.String, when: Schema.NullOr(Condition) })
])
export type StateUpdate = typeof StateUpdate.Type
