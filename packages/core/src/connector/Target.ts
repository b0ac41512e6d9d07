import type { Contestant, TargetRun } from "../domain/Contestant.ts"
import { ContestantKey } from "../domain/Ids.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { Params } from "../domain/TestCase.ts"

export interface TargetOptions {
  /** Display name; the key by default. */
  readonly label?: string
  /** Name recorded as the model; the key by default. */
  readonly model?: string
  readonly params?: Params
  readonly card?: PriceCard
  /** Whether the target may see the expected answer; false by default. */
  readonly exposeReference?: boolean
}

/**
 * A contestant written in the program itself. `run` receives the request and the cell it belongs to, and returns the
 * answer as text or as `TargetOutput`; what it requires (`R`) is provided where the run is started.
 *
 * A failure of any type, and a defect, make the attempt an error; `cell.generate` makes inner calls through the arena.
 */
export const make = <R = never>(key: string, run: TargetRun<R>, options: TargetOptions = {}): Contestant<R> => ({
  key: ContestantKey.make(key),
  label: options.label ?? key,
  model: options.model ?? key,
  source: { _tag: "Inline", run },
  params: options.params ?? {},
  card: options.card ?? null,
  enabled: true,
  exposeReference: options.exposeReference ?? false,
  blocking: false,
  position: { file: "(program)", line: null, column: null }
})
