import type * as Effect from "effect/Effect"
import type { CellContext, ScenarioTurn, TokenUsage } from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import type { Message } from "../../domain/Message.ts"
import type { Params } from "../../domain/TestCase.ts"
import type { AnswerCache } from "../cache/AnswerCache.ts"
import type { TurnRecord } from "../model/Turn.ts"
import type { ReplayStore } from "../replay/ReplayStore.ts"
import type { ScenarioFunctions } from "./Functions.ts"

/** What a turn asks of whoever answers. */
export interface TurnRequest {
  readonly scenario: string
  readonly node: string
  /** 0-based. */
  readonly turn: number
  readonly visit: number
  readonly replicate: number | null
  /** The node's own contestant, else the one under test. */
  readonly contestant: string
  readonly agent: string
  readonly messages: readonly [Message, ...ReadonlyArray<Message>]
  readonly system: string | null
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly params: Params
  /** Folder of the turn, which exists; absent = turns have none. */
  readonly workspace?: string
}

/** An answer; unknown quantities are null. */
export interface TurnAnswer {
  readonly text: string
  readonly usage: TokenUsage
  readonly costUsd: number | null
  readonly latencyMs: number | null
  readonly toolCalls: ReadonlyArray<unknown>
  /** What the tools returned, in the order of the calls; absent = nothing is known. */
  readonly toolResults?: ReadonlyArray<unknown>
  /** The folder in which the answer was made; who is given the answer by a cache is given what is in it, too. */
  readonly workspace?: string
}

export type Respond = (request: TurnRequest) => Effect.Effect<TurnAnswer, GenerationError>

/** Told after each turn; `next` is `__end__` at END, null at a terminal node, a limit or a failure. */
export interface TurnProgress {
  readonly scenario: string
  readonly turn: number
  readonly node: string
  readonly verifyResult: boolean | null
  readonly next: string | null
}

/** An answer from a recording, and whom it is of. */
export type ReplayedAnswer = Pick<TurnRecord, "contestant" | "costUsd" | "latencyMs" | "output" | "prompt" | "usage">

/** Everything that a play needs besides its scenario. */
export interface PlayContext {
  /** The contestant under test. */
  readonly contestant: string
  readonly judge: string | null
  readonly replicate: number | null
  /** System prompt where neither node nor scenario has one. */
  readonly system: string | null
  readonly respond: Respond
  /** Held for one request from sending to answer; waiting for it does not count against the limit of a turn. Null = none. */
  readonly permit: (<A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) | null
  /** Asks the judge about a turn; null = there is none. */
  readonly ask: ((prompt: string, turn?: ScenarioTurn) => Effect.Effect<string, GenerationError>) | null
  /** What scorers are told of the cell. */
  readonly cell: CellContext
  readonly functions: ScenarioFunctions
  readonly cache: AnswerCache<TurnAnswer> | null
  readonly cacheWaitMs: number
  readonly replay: ReplayStore | null
  /** Whether the recorded answer is one to this very request; null = the key alone decides. */
  readonly replayFits: ((request: TurnRequest) => boolean) | null
  /** Hears of each answer that is taken from a recording; null = nobody wants to know. */
  readonly onReplay: ((turn: ReplayedAnswer) => void) | null
  /** Folder of this play, in which turns get folders of their own; null = none is made. */
  readonly workspace: string | null
  /** Characters; longer blocks of a materialised trace get files of their own. */
  readonly traceThreshold: number
  /** Hears of each turn; what it throws is ignored. */
  readonly onTurn: ((progress: TurnProgress) => void) | null
  /** Whether the time of everything around the play is over; a call that is aborted then has run out of time. */
  readonly outOfTime: () => boolean
  /** Puts a limit from outside on waits that are no calls (scorers, functions); null = none. */
  readonly inTime: (<A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | GenerationError>) | null
}
