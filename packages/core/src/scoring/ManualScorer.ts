import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"
import { text } from "./ScorerParams.ts"

export const manualName = "manual"

/** The score of an answer that nobody has graded. */
export const awaiting = Score.make(null, { reason: "awaiting a person's grade" })

/** `manual`: unscored until a person has graded the answer. */
export const manual = define({
  name: manualName,
  description: "A person grades the answer (arena grade); until then it has no score and counts nowhere.",
  requiresReference: false,
  params: { rubric: text("What to look at; shown to the person who grades.") },
  prepare: () => () => awaiting
})
