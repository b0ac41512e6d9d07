/** What is to be graded: each answer once, whoever has given it. */
import { createHash } from "node:crypto"
import type { CallResult, Cell } from "@agent-arena/core/domain/CallResult"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { gradeOf, isGradable, isWaiting } from "@agent-arena/core/scoring/ManualGrades"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** An answer to a case. Equal answers to one case are one item: they cannot deserve different grades. */
export interface Item {
  /** Says nothing about who has answered. */
  readonly id: string
  readonly caseId: string
  readonly cells: ReadonlyArray<Cell>
}

/** What a run has for a person to grade. */
export interface Gradable {
  /** What is asked for, in the order of the run. */
  readonly items: ReadonlyArray<Item>
  /** Every answer that a person can grade, by its id and by its cell. */
  readonly byId: ReadonlyMap<string, ReadonlyArray<Cell>>
  readonly byCell: ReadonlyMap<string, Cell>
  /** Cells that wait for a grade. */
  readonly waiting: number
}

const digest = (...texts: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("hex")

/** Begins with a letter and not with a digit: spreadsheets and YAML take 12e4 and 007 for numbers. */
const idOf = (...texts: ReadonlyArray<string>): string => `a${digest(...texts).slice(0, 15)}`

/** Name of a cell in a map. */
export const cellKey = (contestant: string, caseId: string, trial: number): string =>
  JSON.stringify([contestant, caseId, trial])

const cellOf = ({ caseId, contestant, trial }: CallResult): Cell => ({ caseId, contestant, trial })

/** Reads what can be graded; `regrade` = what has a grade is asked for as well. */
export const gradable = Effect.fnUntraced(function* (store: ResultStore["Service"], run: RunRecord, regrade: boolean) {
  const items = new Map<string, Item & { readonly cells: Array<Cell> }>()
  const byId = new Map<string, Array<Cell>>()
  const byCell = new Map<string, Cell>()
  let waiting = 0
  const add = (result: CallResult): void => {
    if (!isGradable(result)) return
    const cell = cellOf(result)
    const id = idOf(run.runId, result.caseId, result.output ?? "")
    const waits = isWaiting(result)
    if (waits) waiting += 1
    byCell.set(cellKey(cell.contestant, cell.caseId, cell.trial), cell)
    const same = byId.get(id)
    if (same === undefined) byId.set(id, [cell])
    else same.push(cell)
    // A cell that has a grade of its own keeps it unless it is asked for.
    if (!waits && !(regrade && gradeOf(result) !== null)) return
    const item = items.get(id) ?? { id, caseId: result.caseId, cells: [] }
    item.cells.push(cell)
    items.set(id, item)
  }
  yield* Stream.runForEachArray(store.results(run.runId), (results) => Effect.sync(() => results.forEach(add)))
  const found: Gradable = { items: [...items.values()], byId, byCell, waiting }
  return found
})

/** An order that tells nothing about the contestants; the same for the same seed. */
export const shuffled = (items: ReadonlyArray<Item>, seed: number): ReadonlyArray<Item> =>
  items
    .map((item) => ({ item, place: digest(String(seed), item.id) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ item }) => item)
