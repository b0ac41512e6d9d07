/** Records the exchanges of a connector, or answers from a recording instead of a provider. */
import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { CellContext, Generation, GenerationRequest } from "../../domain/Generation.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { GenerationError } from "../../domain/GenerationError.ts"
import { scrubber } from "../../domain/Secrets.ts"
import { Connector, type ConnectorError } from "../Connector.ts"
import * as CassetteFile from "./CassetteFile.ts"
import * as Exchange from "./Exchange.ts"

/** Which recording belongs to a contestant. */
export interface CassetteOptions {
  /** Absolute folder of the recordings (`run.record`, `run.replay`). */
  readonly dir: string
  readonly contestant: string
  /** Model id; part of what must match, so that a contestant whose model changed is not answered by another. */
  readonly model: string
}

const encode = Schema.encodeSync(Exchange.Line)

/** A line without secrets: they are replaced inside its texts, so that it stays a JSON document. */
const render = (line: typeof Exchange.Line.Type, scrub: (text: string) => string): string =>
  JSON.stringify(encode(line), (_, value: unknown) => (typeof value === "string" ? scrub(value) : value))

const notWritten = (file: string, cause: unknown): GenerationError =>
  GenerationErrors.make({
    reason: "target",
    detail: `the answer came, but the recording ${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
  })

/** Writes whole lines, one after the other, without secrets. */
const makeWriter = Effect.fnUntraced(function* (connector: Connector["Service"], options: CassetteOptions) {
  const file = CassetteFile.pathOf(options.dir, options.contestant)
  const handle = yield* CassetteFile.openToAppend(file)
  const turn = yield* Semaphore.make(1)
  const scrub = scrubber(connector.secrets)
  return (line: typeof Exchange.Line.Type) =>
    turn.withPermits(1)(
      Effect.tryPromise({
        try: () => handle.appendFile(`${render(line, scrub)}\n`),
        catch: (cause) => notWritten(file, cause)
      })
    )
})

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * The same connector, whose answers and failures are also written to the contestant's cassette, each before it is
 * returned. An interrupted call has no outcome and is not written.
 */
export const record = Effect.fnUntraced(function* (
  connector: Connector["Service"],
  options: CassetteOptions
): Effect.fn.Return<Connector["Service"], ConnectorError, Scope.Scope> {
  const clock = yield* Clock.Clock
  const write = yield* makeWriter(connector, options)
  // Not from the run's seeded randomness: two recordings of one seed must have names of their own.
  const session = randomUUID()
  yield* write({
    type: "session",
    version: Exchange.version,
    session,
    provider: connector.provider,
    model: options.model,
    recordedAt: clock.currentTimeMillisUnsafe()
  }).pipe(Effect.mapError((error) => CassetteFile.problem(error.detail, "check run.record")))
  const generate = (request: GenerationRequest, cell: CellContext) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const before = monotonicMs(clock)
        const exit = yield* Effect.exit(restore(connector.generate(request, cell)))
        const outcome = Exit.isSuccess(exit) ? exit.value : Option.getOrNull(Cause.findErrorOption(exit.cause))
        if (outcome !== null) {
          yield* write(Exchange.make(session, options.model, request, cell, monotonicMs(clock) - before, outcome))
        }
        return yield* exit
      })
    )
  return Connector.of({ ...connector, generate })
})

const unknownRequest = (file: string, cell: CellContext): GenerationError =>
  GenerationErrors.make({
    reason: "not_found",
    detail: `the recording ${file} has no answer for case ${cell.caseId}, trial ${cell.trial}; the request, the model or the case changed since it was recorded`
  })

/** Takes the next recorded exchange of each key. */
const makeReader = (index: CassetteFile.CassetteIndex) => {
  const taken = new Map<string, number>()
  return (key: string): Effect.Effect<Exchange.Exchange | null> =>
    Effect.suspend(() => {
      const position = taken.get(key) ?? 0
      const place = index.places.get(key)?.[position]
      if (place === undefined) return Effect.succeed(null)
      taken.set(key, position + 1)
      return Effect.promise(() => CassetteFile.readExchange(index, place).catch(() => null))
    })
}

/**
 * A connector that answers from the contestant's cassette and never calls anybody: no key is needed. Exchanges of one
 * request are given in the order in which they were recorded, failures included. A request that was not recorded is an
 * error, not a call.
 */
export const replay = Effect.fnUntraced(function* (
  options: CassetteOptions
): Effect.fn.Return<Connector["Service"], ConnectorError> {
  const index = yield* CassetteFile.openToReplay(CassetteFile.pathOf(options.dir, options.contestant))
  const next = makeReader(index)
  const generate = Effect.fnUntraced(function* (request: GenerationRequest, cell: CellContext) {
    const exchange = yield* next(Exchange.keyOf(options.model, request, cell))
    if (exchange === null) return yield* unknownRequest(index.file, cell)
    const outcome: Generation | GenerationError = Exchange.outcomeOf(exchange)
    if (outcome instanceof GenerationError) return yield* outcome
    return outcome
  })
  return Connector.of({ provider: index.provider, secrets: [], healthCheck: Effect.succeed(null), generate })
})
