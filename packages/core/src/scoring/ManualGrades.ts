/** What a person says of an answer, inside its record. */
import type { CallResult } from "../domain/CallResult.ts"
import type { ScorerResult } from "../domain/Score.ts"
import { type CellScore, combine } from "./CellScore.ts"
import { awaiting, manualName } from "./ManualScorer.ts"

/** A person's grade. It is kept in the record of its answer, under the scorer `manual`. */
export interface Grade {
  /** 0..1. An answer passes from 0.5 on. */
  readonly score: number
  /** Empty = none was given. */
  readonly reason: string
  /** Who graded. */
  readonly by: string
  /** ISO 8601 UTC. */
  readonly at: string
}

const isManual = ({ scorer }: ScorerResult): boolean => scorer === manualName

const gradedScores = (scores: ReadonlyArray<ScorerResult>, grade: Grade | null): ReadonlyArray<ScorerResult> => {
  const own =
    grade === null
      ? awaiting
      : {
          score: grade.score,
          passed: grade.score >= 0.5,
          reason: grade.reason,
          detail: { graded_by: grade.by, graded_at: grade.at },
          metrics: {}
        }
  return scores.map((one) => (isManual(one) ? { scorer: one.scorer, weight: one.weight, ...own } : one))
}

const together = (scores: ReadonlyArray<ScorerResult>): Pick<CellScore, "score" | "passed" | "reason"> => {
  const [only] = scores
  return only !== undefined && scores.length === 1 ? only : combine(scores)
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The grade that an answer has; null when it has none. */
export const gradeOf = ({ scores }: Pick<CallResult, "scores">): Grade | null => {
  const graded = scores.find((one) => isManual(one) && one.score !== null && text(one.detail["graded_at"]) !== "")
  if (graded === undefined || graded.score === null) return null
  const { detail, reason, score } = graded
  return { score, reason, by: text(detail["graded_by"]), at: text(detail["graded_at"]) }
}

/** Whether a person can grade the answer: it is one, and the scorer `manual` is among those of its case. */
export const isGradable = ({ output, scores, status }: CallResult): boolean =>
  status === "ok" && output !== null && scores.some(isManual)

/** Whether the answer waits for a person's grade. */
export const isWaiting = (result: CallResult): boolean =>
  isGradable(result) && result.scores.some((one) => isManual(one) && one.score === null)

/** The record with a grade in place of the one it has; null takes the grade away. */
export const withGrade = (result: CallResult, grade: Grade | null): CallResult => {
  const scores = gradedScores(result.scores, grade)
  const { passed, reason, score } = together(scores)
  return { ...result, score, passed, reason, scores }
}

/** What the scorers say of an answer anew, with the grade that a person has given it before. */
export const keepGrade = (before: Pick<CallResult, "scores">, score: CellScore): CellScore => {
  const grade = score.scores.some(isManual) ? gradeOf(before) : null
  if (grade === null) return score
  const scores = gradedScores(score.scores, grade)
  const { passed, reason, score: own } = together(scores)
  return { ...score, score: own, passed, reason, scores }
}
