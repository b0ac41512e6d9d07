/** Writes grades: at once, all of a step or none. */
import type { Cell } from "@agent-arena/core/domain/CallResult"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { type Grade, gradeOf, withGrade } from "@agent-arena/core/scoring/ManualGrades"
import type { NewScore } from "@agent-arena/core/store/Regrade"
import * as Effect from "effect/Effect"
import type { ProjectStores } from "../projectStores.ts"

/** A grade for some cells. */
export interface Given {
  readonly cells: ReadonlyArray<Cell>
  readonly grade: Grade
}

/** What the grades change; nothing for a cell that has the same grade already. */
const changesOf = Effect.fnUntraced(function* ({ store }: ProjectStores, run: RunRecord, { cells, grade }: Given) {
  const changes: Array<NewScore> = []
  for (const cell of cells) {
    const before = yield* store.result(run.runId, cell)
    if (before === null) continue
    const earlier = gradeOf(before)
    if (earlier !== null && earlier.score === grade.score && earlier.reason === grade.reason) continue
    changes.push({ before, after: withGrade(before, grade), keep: earlier !== null })
  }
  return changes
})

/** Writes the grades in one step and returns what has changed. */
export const writeGrades = Effect.fnUntraced(function* (
  stores: ProjectStores,
  run: RunRecord,
  given: ReadonlyArray<Given>
) {
  const changes = (yield* Effect.forEach(given, (one) => changesOf(stores, run, one))).flat()
  if (changes.length > 0) yield* stores.shelf.regrade(run.runId, changes)
  return changes
})

/** Takes a step back. */
export const undoGrades = ({ shelf }: ProjectStores, run: RunRecord, changes: ReadonlyArray<NewScore>) =>
  changes.length === 0
    ? Effect.void
    : shelf.regrade(
        run.runId,
        changes.map(({ after, before }) => ({ before: after, after: before, keep: false }))
      )
