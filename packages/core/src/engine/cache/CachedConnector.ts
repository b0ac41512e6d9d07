import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Connector } from "../../connector/Connector.ts"
import { placeless } from "../../connector/cassette/Placeless.ts"
import { ofValue } from "../../domain/ContentHash.ts"
import type { CellContext, Generation, GenerationRequest } from "../../domain/Generation.ts"
import { scrubber } from "../../domain/Secrets.ts"
import type { ResponseCache } from "./ResponseCache.ts"

/** Everything that can change an answer: who is asked (its content hash), what, and which trial. */
export const cacheKey = (contestantHash: string, asked: GenerationRequest, cell: CellContext): string => {
  const request = placeless(asked, cell)
  return ofValue({
    contestantHash,
    messages: request.messages,
    system: request.system,
    maxTokens: request.maxTokens,
    temperature: request.temperature,
    seed: request.seed,
    params: request.params,
    trial: cell.trial,
    // Simulated models answer by case and reference; for all others the request says it all.
    ...("reference" in cell ? { caseId: cell.caseId, reference: cell.reference } : {})
  })
}

const inPlace = new Set(["callable", "inline", "command"])

/** Whether the request does not say it all: these see the folder and the conversation of a turn, and leave files. */
const worksOnTurn = ({ provider }: Connector["Service"], { scenario }: CellContext): boolean =>
  scenario !== undefined && inPlace.has(provider)

type Flights = Map<string, Deferred.Deferred<Generation | null>>

const inFlight = new WeakMap<ResponseCache["Service"], Flights>()

/** What is being asked for a cache; one contestant may have several connectors. */
const flightsOf = (cache: ResponseCache["Service"]): Flights => {
  const known = inFlight.get(cache)
  if (known !== undefined) return known
  const flights: Flights = new Map()
  inFlight.set(cache, flights)
  return flights
}

/** Who is cached, for keys and listings. */
export interface CachedIdentity {
  readonly contestantHash: string
  readonly model: string
}

/**
 * A connector that asks only for what it has not asked before. One call a key is in flight at a time: others with the
 * same key wait for its answer, and ask themselves if it fails. A cache that fails is passed by, and `onFailure` hears
 * of it: it must never cost an answer. A function or program that works on a turn of a scenario is always asked.
 */
export const cachedConnector = (
  connector: Connector["Service"],
  identity: CachedIdentity,
  cache: ResponseCache["Service"],
  onFailure: (message: string) => void
): Connector["Service"] => {
  const flights = flightsOf(cache)
  const tolerate = <A>(effect: Effect.Effect<A, { readonly message: string }>, fallback: A): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.sync(() => {
        onFailure(error.message)
        return fallback
      })
    )

  const fromCache = (answer: Generation): Generation => ({ ...answer, answeredFrom: "cache" })

  // A server may echo a key; what is kept on disk never holds one.
  const scrub = scrubber(connector.secrets)
  const clean = (generation: Generation): Generation =>
    connector.secrets.length === 0 ? generation : JSON.parse(scrub(JSON.stringify(generation)))

  const ask = (key: string, request: GenerationRequest, cell: CellContext) =>
    Effect.tap(connector.generate(request, cell), (answer) => {
      const { caseId, contestant } = cell
      const entry = { key, contestant, model: identity.model, caseId, generation: clean(answer) }
      return tolerate(cache.keep(entry), undefined)
    })

  const findOrAsk = (key: string, request: GenerationRequest, cell: CellContext) =>
    Effect.flatMap(tolerate(cache.find(key), null), (known) =>
      known === null ? ask(key, request, cell) : Effect.succeed(fromCache(known))
    )

  const fly = (key: string, request: GenerationRequest, cell: CellContext) => {
    const landed = Deferred.makeUnsafe<Generation | null>()
    flights.set(key, landed)
    return Effect.onExit(findOrAsk(key, request, cell), (exit) =>
      Effect.suspend(() => {
        flights.delete(key)
        return Deferred.succeed(landed, exit._tag === "Success" ? exit.value : null)
      })
    )
  }

  const generate: Connector["Service"]["generate"] = (request, cell) =>
    Effect.suspend(() => {
      if (worksOnTurn(connector, cell)) return connector.generate(request, cell)
      const key = cacheKey(identity.contestantHash, request, cell)
      const flight = flights.get(key)
      if (flight === undefined) return fly(key, request, cell)
      return Effect.flatMap(Deferred.await(flight), (answer) =>
        answer === null ? generate(request, cell) : Effect.succeed(fromCache(answer))
      )
    })

  return { ...connector, generate }
}
