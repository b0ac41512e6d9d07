import { toPrompt } from "@agent-arena/core/domain/Message"
import type { Project } from "@agent-arena/core/domain/Project"
import { manualName } from "@agent-arena/core/scoring/ManualScorer"

/** What a person needs to know of a case to grade an answer to it; empty = nothing is there. */
export interface CaseTexts {
  readonly question: string
  readonly expected: string
  readonly rubric: string
}

const shown = (value: unknown): string =>
  value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : (JSON.stringify(value, null, 2) ?? "")

/** The texts of a case; empty when the project no longer has it. */
export const textsOf = ({ cases }: Project, caseId: string): CaseTexts => {
  const found = cases.find(({ id }) => id === caseId)
  if (found === undefined) return { question: "", expected: "", rubric: "" }
  const rubrics = found.scorers.flatMap(({ params, type }) => (type === manualName ? [shown(params["rubric"])] : []))
  const notes = shown(found.metadata["notes"])
  return {
    question: found.system === null ? toPrompt(found.messages) : `${found.system}\n\n${toPrompt(found.messages)}`,
    expected: shown(found.reference),
    rubric: [...rubrics, notes].filter((text) => text !== "").join("\n")
  }
}
