import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"

const awaiting = Score.make(null, { reason: "awaiting a person's grade" })

/** `manual`: unscored until a person has graded the answer. */
export const manual = define({
  name: "manual",
  description: "A person grades the answer; until then it has no score and counts nowhere.",
  requiresReference: false,
  params: {},
  prepare: () => () => awaiting
})
