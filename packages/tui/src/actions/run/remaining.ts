/** How much of a plan has to be asked when there are earlier results. */
import type { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import { Arena } from "@agent-arena/core/engine/Arena"
import { type Estimate, estimate } from "@agent-arena/core/engine/Estimate"
import type { Readiness } from "@agent-arena/core/engine/Readiness"
import type { StoredCell, StoredCells } from "@agent-arena/core/store/ResultReuse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ProjectStores } from "../projectStores.ts"
import type { Repeat } from "./earlier.ts"

export interface Remaining {
  /** Cells of the plan that have a result which stands. */
  readonly held: number
  /** Cells of the plan that have an outcome at all, whether it stands or is asked for again. */
  readonly known: number
  /** By contestant key: the cases to ask, once for each trial. */
  readonly toAsk: ReadonlyMap<string, ReadonlyArray<TestCase>>
}

const stands = (cell: StoredCell, caseId: string, repeat: Repeat): boolean =>
  cell.fit !== "changed" && !(cell.status === "error" && repeat.errors !== false) && repeat.cases?.has(caseId) !== true

/** Which parts of the stored plan are still what they were; who is skipped now counts as unchanged. */
const unchanged = Effect.fnUntraced(function* (project: Project, stored: StoredCells) {
  const { caseHashes, contestantHashes } = yield* Arena.hashes(project)
  const inputs = new Map(project.cases.map(({ id }, index) => [id, caseHashes[index]?.input]))
  return {
    contestants: stored.contestants.map(({ hash, key }) => (contestantHashes.get(key) ?? hash) === hash),
    cases: stored.cases.map(({ id, input }) => inputs.get(id) === input)
  }
})

const indexBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, number> =>
  new Map(items.map((item, index) => [key(item), index]))

/** A plan's cells, each held or not. */
const makeGrid = (project: Project) => {
  const { cases } = project
  const { trials } = project.run
  const contestants = project.contestants.filter(({ enabled }) => enabled)
  const columns = indexBy(contestants, ({ key }) => key)
  const rows = indexBy(cases, ({ id }) => id)
  const held = new Uint8Array(contestants.length * cases.length * trials)
  let known = 0
  const first = (column: number, row: number): number => (column * cases.length + row) * trials
  const missing = (column: number): ReadonlyArray<TestCase> =>
    cases.flatMap((testCase, row) => {
      const own = held.subarray(first(column, row), first(column, row) + trials)
      return Array.from(own).flatMap((value) => (value === 1 ? [] : [testCase]))
    })
  const slotOf = (contestant: string, caseId: string, trial: number): number | null => {
    const column = columns.get(contestant)
    const row = rows.get(caseId)
    return column === undefined || row === undefined || trial > trials ? null : first(column, row) + trial - 1
  }
  return {
    /** Notes an outcome. Names that the plan does not know are ignored. */
    add: (contestant: string, caseId: string, trial: number, isHeld: boolean): void => {
      const slot = slotOf(contestant, caseId, trial)
      if (slot === null) return
      known += 1
      held[slot] = isHeld ? 1 : 0
    },
    /** An outcome that was held is asked for again. */
    drop: (contestant: string, caseId: string, trial: number): void => {
      const slot = slotOf(contestant, caseId, trial)
      if (slot !== null) held[slot] = 0
    },
    remaining: (): Remaining => ({
      known,
      held: held.reduce((sum, value) => sum + value, 0),
      toAsk: new Map(contestants.map(({ key }, column) => [key, missing(column)]))
    })
  }
}

/** The cells of the plan that the run does not have, or has in a form that is asked again. */
export const cellsToAsk = Effect.fnUntraced(function* (
  { reuse, store }: ProjectStores,
  project: Project,
  id: RunId,
  repeat: Repeat
) {
  const grid = makeGrid(project)
  const stored = yield* reuse.stored(id)
  if (stored === null) return grid.remaining()
  const same = yield* unchanged(project, stored)
  yield* Stream.runForEach(stored.cells, (cell) =>
    Effect.sync(() => {
      const key = stored.contestants[cell.contestant]?.key
      const caseId = stored.cases[cell.testCase]?.id
      if (key === undefined || caseId === undefined || cell.stopReason === "run_stopped") return
      const isSame = same.contestants[cell.contestant] === true && same.cases[cell.testCase] === true
      grid.add(key, caseId, cell.trial, isSame && stands(cell, caseId, repeat))
    })
  )
  for (const { caseId, contestant, trial } of repeat.cells ?? []) grid.drop(contestant, caseId, trial)
  if (repeat.failed === true) {
    yield* Stream.runForEach(store.results(id), ({ caseId, contestant, passed, trial }) =>
      Effect.sync(() => {
        if (passed === false) grid.drop(contestant, caseId, trial)
      })
    )
  }
  return grid.remaining()
})

/** What asking costs; with earlier results, what the rest costs. */
export const estimateRest = (project: Project, readiness: Readiness, remaining: Remaining | null): Estimate => {
  const whole = estimate(project, readiness)
  if (remaining === null) return whole
  const parts = readiness.contestants.map((contestant) => {
    const cases = remaining.toAsk.get(contestant.key) ?? []
    return estimate({ ...project, cases }, { ...readiness, contestants: [contestant], cases: cases.length, trials: 1 })
  })
  const known = parts.flatMap(({ totalUsd }) => totalUsd ?? [])
  return {
    contestants: parts.flatMap(({ contestants }) => contestants),
    totalUsd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    unknown: parts.flatMap(({ unknown }) => unknown),
    assumptions: whole.assumptions
  }
}

/** Cells that are asked: those of contestants that run. */
export const countToAsk = ({ contestants, planned }: Readiness, remaining: Remaining | null): number =>
  remaining === null
    ? planned
    : contestants.reduce(
        (sum, { key, skipped }) => sum + (skipped === null ? (remaining.toAsk.get(key)?.length ?? 0) : 0),
        0
      )
