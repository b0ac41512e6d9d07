import { type Pipeable, Prototype } from "effect/Pipeable"
import type { Cell } from "../domain/CallResult.ts"
import type { Contestant } from "../domain/Contestant.ts"
import type { Project } from "../domain/Project.ts"
import type { TestCase } from "../domain/TestCase.ts"

/** What a run means to do: contestants × cases × trials. Cells are generated on demand; nothing here grows with them. */
export interface Plan<R = never> extends Pipeable {
  readonly project: Project<R>
  /** The contestants that run, in project order. */
  readonly contestants: ReadonlyArray<Contestant<R>>
  readonly cases: ReadonlyArray<TestCase>
  readonly trials: number
  /** `contestants × cases × trials`. */
  readonly planned: number
}

/** The plan of a project: its enabled contestants, without those named in `skipped`. */
export const make = <R>(project: Project<R>, skipped: ReadonlySet<string> = new Set()): Plan<R> => {
  const contestants = project.contestants.filter(({ enabled, key }) => enabled && !skipped.has(key))
  const { cases } = project
  const { trials } = project.run
  return {
    project,
    contestants,
    cases,
    trials,
    planned: contestants.length * cases.length * trials,
    pipe: Prototype.pipe
  }
}

/** Position of a cell in the matrix, all 0-based. */
export interface CellIndex {
  readonly contestant: number
  readonly testCase: number
  readonly trial: number
}

/** One contestant's share of the plan, in the order case, then trial. */
export interface Lane {
  readonly contestant: number
  readonly next: () => CellIndex | undefined
}

/** The lane of the contestant with this index. `wanted` leaves cells out (those that an earlier run already answered). */
export const lane = (
  plan: Plan<unknown>,
  contestant: number,
  wanted: (cell: CellIndex) => boolean = () => true
): Lane => {
  const size = plan.cases.length * plan.trials
  let position = 0
  const next = (): CellIndex | undefined => {
    while (position < size) {
      const testCase = Math.floor(position / plan.trials)
      const cell = { contestant, testCase, trial: position - testCase * plan.trials }
      position += 1
      if (wanted(cell)) return cell
    }
    return undefined
  }
  return { contestant, next }
}

/** All cells in scheduling order: round-robin over contestants, then case, then trial. */
export function* cells(plan: Plan<unknown>): Generator<Cell> {
  for (const testCase of plan.cases) {
    for (let trial = 1; trial <= plan.trials; trial++) {
      for (const contestant of plan.contestants) yield { contestant: contestant.key, caseId: testCase.id, trial }
    }
  }
}
