/** A run on the screen: its source, its compact model, and what was read on demand. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { Leaderboard } from "@agent-arena/core/domain/Leaderboard"
import { makeRowOrderCache, type RowOrderCache } from "./RowOrder.ts"
import { makeRunModel, type RunModel } from "./RunModel.ts"
import type { RunSource } from "./RunSource.ts"

/** A record that was asked for: on its way, there (null = the cell has none), or refused. */
export type Loaded =
  | { readonly _tag: "Loading" }
  | { readonly _tag: "Ready"; readonly result: CallResult | null }
  | { readonly _tag: "Refused"; readonly message: string }

export interface OpenRun {
  readonly source: RunSource
  readonly model: RunModel
  readonly rowOrders: RowOrderCache
  /** Records of the cells looked at last, by cell index. */
  readonly results: Map<number, Loaded>
  /** The end that is shown, as its record says it (`endMark`); undefined = it has not ended, null = not known. */
  endMark: string | null | undefined
  /** Whether nobody follows it any more although it may go on. */
  lost: boolean
  /** Ranked from what is known so far, or the stored one after the end. */
  leaderboard: Leaderboard | null
  /** Whether the leaderboard is the final one, with intervals and a verdict. */
  final: boolean
  /** Leaderboard under other weights, while they are tried out. */
  whatIf: Leaderboard | null
  /** Whether that leaderboard has its intervals and its verdict. */
  whatIfFull: boolean
  /** The weights that were asked for last. */
  wantedWeights: Readonly<Record<string, number>> | null
}

export const makeOpenRun = (source: RunSource): OpenRun => {
  const model = makeRunModel(source.facts)
  return {
    source,
    model,
    rowOrders: makeRowOrderCache(model),
    results: new Map(),
    endMark: undefined,
    lost: false,
    leaderboard: null,
    final: false,
    whatIf: null,
    whatIfFull: false,
    wantedWeights: null
  }
}

const keptResults = 32

/** Remembers a record and forgets the ones looked at longest ago: outputs may be large. */
export const remember = (run: OpenRun, cell: number, loaded: Loaded): void => {
  run.results.delete(cell)
  run.results.set(cell, loaded)
  for (const old of run.results.keys()) {
    if (run.results.size <= keptResults) return
    run.results.delete(old)
  }
}
