/** Whether a run has what it is to ask again. */

import { closest } from "@agent-arena/core/domain/DidYouMean"
import type { Project } from "@agent-arena/core/domain/Project"
import * as Effect from "effect/Effect"
import { CommandError } from "../../process/Failure.ts"
import type { Repeat } from "./earlier.ts"

const refusal = (message: string, near: string | null) =>
  new CommandError({ kind: "usage", message, suggestion: near === null ? null : `did you mean ${near}?` })

/** Fails for a case, a contestant or a trial that the run is not about: asking nothing again must not look like success. */
export const checkRepeat = (
  project: Project,
  { cases = new Set(), cells = [] }: Repeat
): Effect.Effect<void, CommandError> => {
  const ids = new Set<string>(project.cases.map(({ id }) => id))
  const keys = new Set<string>(project.contestants.flatMap(({ enabled, key }) => (enabled ? [key] : [])))
  for (const id of [...cases, ...cells.map(({ caseId }) => caseId)]) {
    if (!ids.has(id)) return Effect.fail(refusal(`the run has no case "${id}"`, closest(id, ids)))
  }
  for (const { contestant, trial } of cells) {
    if (!keys.has(contestant)) {
      return Effect.fail(refusal(`the run has no contestant "${contestant}"`, closest(contestant, keys)))
    }
    if (trial > project.run.trials) {
      return Effect.fail(refusal(`there is no trial ${trial}: the run has ${project.run.trials} of each case`, null))
    }
  }
  return Effect.void
}
