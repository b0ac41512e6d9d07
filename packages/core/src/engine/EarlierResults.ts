import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { ResultReuse, StoredCell } from "../store/ResultReuse.ts"
import type { ResultStore } from "../store/ResultStore.ts"
import type { CellIndex, Plan } from "./Plan.ts"

/** Which answered cells are asked again all the same. Missing, interrupted and changed cells always are. */
export interface Repeat {
  /** Errors and time-outs; true unless they are to be kept. */
  readonly errors: boolean
  /** Answers that did not pass. */
  readonly failed: boolean
  /** All cells of these cases. */
  readonly cases: ReadonlySet<string>
  /** These cells. */
  readonly cells: ReadonlyArray<Cell>
}

/** What `resume` repeats by default. */
export const repeatErrors: Repeat = { errors: true, failed: false, cases: new Set(), cells: [] }

/** What an earlier part of the run, or the run it extends, has of the plan. */
export interface EarlierResults {
  /** `run` = ask; `keep` = stands as it is; `rescore` = the answer stands, its scoring has changed. */
  readonly use: (cell: CellIndex) => "run" | "keep" | "rescore"
  /** Cells that stand as they are. */
  readonly kept: number
  readonly rescored: number
  /** The results that stand as they are, read in pages. */
  readonly results: Stream.Stream<CallResult, StoreError>
  /** Cells that have an outcome and are to be asked again all the same. */
  readonly repeated: number
  /** Their results, as they are in the store now: they stand where nothing came of asking again. */
  readonly repeatable: Stream.Stream<CallResult, StoreError>
  /** A stored answer that is to be scored again. */
  readonly answer: (cell: {
    readonly contestant: number
    readonly testCase: number
    readonly trial: number
  }) => Effect.Effect<CallResult | null, StoreError>
}

/** A run that starts from nothing. */
export const none: EarlierResults = {
  use: () => "run",
  kept: 0,
  rescored: 0,
  results: Stream.empty,
  repeated: 0,
  repeatable: Stream.empty,
  answer: () => Effect.succeed(null)
}

const Use = { run: 0, keep: 1, rescore: 2, repeat: 3 } as const
const names = ["run", "keep", "rescore", "run"] as const

const indexBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, number> =>
  new Map(items.map((item, index) => [key(item), index]))

const decide = (stored: StoredCell, isNamed: boolean, repeat: Repeat): number => {
  if (stored.fit === "changed") return Use.run
  const asked = stored.stopReason === "run_stopped" || (stored.status === "error" && repeat.errors)
  if (asked || isNamed) return stored.fit === "whole" ? Use.repeat : Use.run
  return stored.fit === "rescore" ? Use.rescore : Use.keep
}

/** Reads what the store holds of `runId` and decides, cell by cell, what it is still good for under this plan. */
export const load = Effect.fnUntraced(function* (
  store: ResultStore["Service"],
  reuse: ResultReuse["Service"],
  runId: RunId,
  plan: Plan<unknown>,
  repeat: Repeat
) {
  const held = yield* reuse.stored(runId)
  if (held === null) return none
  const contestants = indexBy(plan.contestants, ({ key }) => key)
  const cases = indexBy(plan.cases, ({ id }) => id)
  const { trials } = plan
  const uses = new Uint8Array(plan.planned)
  const place = (contestant: number, testCase: number, trial: number): number =>
    (contestant * plan.cases.length + testCase) * trials + trial
  const slotOf = (contestant: string, caseId: string, trial: number): number | undefined => {
    const column = contestants.get(contestant)
    const row = cases.get(caseId)
    return column === undefined || row === undefined || trial > trials ? undefined : place(column, row, trial - 1)
  }
  const named = new Set(repeat.cells.map(({ caseId, contestant, trial }) => slotOf(contestant, caseId, trial)))

  yield* Stream.runForEach(held.cells, (cell) =>
    Effect.sync(() => {
      const key = held.contestants[cell.contestant]?.key
      const id = held.cases[cell.testCase]?.id
      const slot = key === undefined || id === undefined ? undefined : slotOf(key, id, cell.trial)
      if (slot === undefined || id === undefined) return
      uses[slot] = decide(cell, repeat.cases.has(id) || named.has(slot), repeat)
    })
  )
  if (repeat.failed) {
    yield* Stream.runForEach(store.results(runId), (result) =>
      Effect.sync(() => {
        const slot = slotOf(result.contestant, result.caseId, result.trial)
        if (slot !== undefined && result.passed === false) uses[slot] = Use.repeat
      })
    )
  }
  const usedAs = (use: number) =>
    Stream.filter(store.results(runId), (result) => {
      const slot = slotOf(result.contestant, result.caseId, result.trial)
      return slot !== undefined && uses[slot] === use
    })
  const count = (wanted: number): number => uses.reduce((sum, use) => sum + (use === wanted ? 1 : 0), 0)
  const earlier: EarlierResults = {
    use: ({ contestant, testCase, trial }) => names[uses[place(contestant, testCase, trial)] ?? Use.run] ?? "run",
    kept: count(Use.keep),
    rescored: count(Use.rescore),
    results: usedAs(Use.keep),
    repeated: count(Use.repeat),
    repeatable: usedAs(Use.repeat),
    answer: ({ contestant, testCase, trial }) => {
      const key = plan.contestants[contestant]?.key
      const caseId = plan.cases[testCase]?.id
      return key === undefined || caseId === undefined
        ? Effect.succeed(null)
        : reuse.answer(runId, { contestant: key, caseId, trial: trial + 1 })
    }
  }
  return earlier
})
