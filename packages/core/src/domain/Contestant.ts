import type * as Effect from "effect/Effect"
import type { CellContext, GenerationRequest, TargetOutput } from "./Generation.ts"
import type { ContestantKey } from "./Ids.ts"
import type { PriceCard } from "./PriceCard.ts"
import type { SourcePosition } from "./SourcePosition.ts"
import type { Params } from "./TestCase.ts"

/** The function behind a contestant that is written in the program itself (`Target.make`). */
export type TargetRun<R> = (
  request: GenerationRequest,
  cell: CellContext
) => Effect.Effect<TargetOutput | string, unknown, R>

/** Where the answers of a contestant come from. */
export type ContestantSource<R = never> =
  /** A model behind a provider. `provider` is a profile id, a kind, or null (decided from the model id). */
  | {
      readonly _tag: "Model"
      readonly model: string
      readonly provider: string | null
      readonly apiKeyEnv: string | null
      readonly apiBase: string | null
    }
  /** `run: file.ts:function` or `package:function`. */
  | { readonly _tag: "Callable"; readonly module: string; readonly exportName: string }
  /** A program started for each attempt, without a shell. `{prompt}` in an argument is replaced, else stdin is used. */
  | {
      readonly _tag: "Command"
      readonly argv: readonly [string, ...ReadonlyArray<string>]
      readonly env: Readonly<Record<string, string>>
    }
  /** POST JSON; `responsePath` is a dotted path to the text in the reply (null: `output`, `text` or `answer`). */
  | {
      readonly _tag: "Url"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: unknown
      readonly responsePath: string | null
    }
  /** A function of the embedding program. */
  | { readonly _tag: "Inline"; readonly run: TargetRun<R> }

/** Anything on the leaderboard. `R` is what its inline target needs from the program. */
export interface Contestant<R = never> {
  readonly key: ContestantKey
  /** Display name. */
  readonly label: string
  /** Model id, or the text that names the target (`file.ts:function`, the command, the URL). */
  readonly model: string
  readonly source: ContestantSource<R>
  /** Request params: `defaults.params < profile.params < contestant.params`, not yet merged here. */
  readonly params: Params
  /** Price and capability facts of this contestant only; wins over everything. */
  readonly card: PriceCard | null
  readonly enabled: boolean
  /** Whether a target may see the expected answer. */
  readonly exposeReference: boolean
  /** Runs in a worker thread that can be terminated, because it may block the event loop. */
  readonly blocking: boolean
  readonly position: SourcePosition
}
