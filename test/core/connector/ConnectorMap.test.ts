import { Connector, type ConnectorFactory } from "@agent-arena/core/connector/Connector"
import { ConnectorMap } from "@agent-arena/core/connector/ConnectorMap"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import * as Target from "@agent-arena/core/connector/Target"
import * as Generations from "@agent-arena/core/domain/Generation"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { cellOf, configOf, echoInner, mockConfig, requestOf } from "./requests.ts"

/** A kind that writes down when its connectors are built and released. */
const watched =
  (log: Array<string>): ConnectorFactory =>
  (config) =>
    Layer.effect(
      Connector,
      Effect.acquireRelease(
        Effect.sync(() => {
          log.push(`built ${config.model}`)
          return {
            provider: "watched",
            generate: () => Effect.succeed(Generations.make({ text: config.model })),
            healthCheck: Effect.succeed(null),
            secrets: []
          }
        }),
        () => Effect.sync(() => log.push(`released ${config.model}`))
      )
    )

const entries = new Map([
  ["a", configOf({ kind: "watched", model: "model a" })],
  ["b", configOf({ kind: "watched", model: "model b" })]
])

describe("the map of connectors", () => {
  it.effect("builds on first use, shares, and releases with its own scope", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const scope = yield* Scope.make()
      const map = yield* ConnectorMap.make(entries).pipe(
        Effect.provideService(ConnectorRegistry, new Map([["watched", watched(log)]])),
        Scope.provide(scope)
      )
      assert.deepStrictEqual(log, [])
      const first = yield* Effect.scoped(map.get("a"))
      const [second, third] = yield* Effect.all([map.get("a"), map.get("a")], { concurrency: 2 }).pipe(Effect.scoped)
      assert.strictEqual(second, first)
      assert.strictEqual(third, first)
      assert.deepStrictEqual(log, ["built model a"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(log, ["built model a", "released model a"])
    })
  )

  it.effect("is a service whose connectors are found by key", () =>
    Effect.gen(function* () {
      const connector = yield* ConnectorMap.get("a")
      assert.strictEqual((yield* connector.generate(requestOf("?"), cellOf())).text, "model a")
      assert.strictEqual(connector.provider, "watched")
    }).pipe(
      Effect.provide(ConnectorMap.layer(entries)),
      Effect.provideService(ConnectorRegistry, new Map([["watched", watched([])]]))
    )
  )

  it.effect("a registered kind wins over the built-in one", () =>
    Effect.gen(function* () {
      const map = yield* ConnectorMap.make(new Map([["m", mockConfig("mock:echo")]])).pipe(
        Effect.provideService(ConnectorRegistry, new Map([["mock", watched([])]]))
      )
      const connector = yield* map.get("m")
      assert.strictEqual(connector.provider, "watched")
    })
  )

  it.effect("says which kinds there are when one is missing, and which key was meant", () =>
    Effect.gen(function* () {
      const map = yield* ConnectorMap.make(new Map([["claude", configOf({ kind: "anthropic" })]]))
      const missing = yield* Effect.flip(map.get("claude"))
      assert.include(missing.message, 'no connector of kind "anthropic"')
      assert.include(missing.message, "mock, callable, command, url")
      const unknown = yield* Effect.flip(map.get("cluade"))
      assert.include(unknown.message, 'did you mean "claude"?')
    })
  )

  it.effect("finds configurations of other ids when it is told how", () =>
    Effect.gen(function* () {
      const resolve = (key: string) => Result.succeed(mockConfig(key))
      const map = yield* ConnectorMap.make(new Map(), { resolve })
      const connector = yield* map.get("mock:echo")
      assert.strictEqual((yield* connector.generate(requestOf("inner"), cellOf())).text, "inner")
    })
  )
})

class Search extends Context.Service<Search, { readonly find: (query: string) => Effect.Effect<string> }>()(
  "test/Search"
) {}

const inlineMap = <R>(contestant: ReturnType<typeof Target.make<R>>) =>
  ConnectorMap.make(
    new Map([
      [
        contestant.key,
        configOf<R>({ kind: "inline", source: contestant.source, exposeReference: contestant.exposeReference })
      ]
    ])
  )

const answer = <R>(contestant: ReturnType<typeof Target.make<R>>, cell: Parameters<typeof cellOf>[0] = {}) =>
  Effect.gen(function* () {
    const map = yield* inlineMap(contestant)
    const connector = yield* Effect.orDie(map.get(contestant.key))
    return yield* connector.generate(requestOf("hello"), cellOf(cell))
  })

describe("a target written in the program", () => {
  const rag = Target.make(
    "rag",
    Effect.fn("rag")(function* (request, cell) {
      const found = yield* Search.use((search) => search.find(request.prompt))
      const inner = yield* cell.generate("writer", { prompt: found })
      return { output: inner.text, metrics: { documents: 1 }, usage: { prompt: 5 } }
    })
  )

  it.effect("runs with the services of the program and makes inner calls", () =>
    Effect.gen(function* () {
      const result = yield* answer(rag, { generate: echoInner })
      assert.strictEqual(result.text, "writer says found hello")
      assert.deepStrictEqual(result.metrics, { documents: 1 })
      assert.deepStrictEqual([result.usage.prompt, result.usage.completion], [5, null])
    }).pipe(Effect.provideService(Search, { find: (query) => Effect.succeed(`found ${query}`) }))
  )

  it.effect("fails as the target, whatever it fails with; an inner call keeps its reason", () =>
    Effect.gen(function* () {
      const failure = (run: () => Effect.Effect<string, unknown>) =>
        Effect.map(Effect.flip(answer(Target.make("t", run))), ({ reason, detail }) => [reason, detail])
      assert.deepStrictEqual(yield* failure(() => Effect.fail("no luck")), ["target", "no luck"])
      assert.deepStrictEqual(yield* failure(() => Effect.die(new TypeError("a defect"))), [
        "target",
        "TypeError: a defect"
      ])
      assert.deepStrictEqual(
        yield* failure(() => {
          throw new Error("thrown before any Effect")
        }),
        ["target", "thrown before any Effect"]
      )
      const search = { find: () => Effect.succeed("") }
      const inner = yield* Effect.flip(Effect.provideService(answer(rag), Search, search))
      assert.strictEqual(inner.reason, "not_found")
    })
  )

  it.effect("does not see the reference unless it asked for it", () =>
    Effect.gen(function* () {
      const run = (_: unknown, cell: object) => Effect.succeed("reference" in cell ? "sees it" : "sees nothing")
      const cell = { reference: "secret" }
      assert.strictEqual((yield* answer(Target.make("t", run), cell)).text, "sees nothing")
      assert.strictEqual((yield* answer(Target.make("t", run, { exposeReference: true }), cell)).text, "sees it")
    })
  )

  it.effect("is interrupted as an Effect, not turned into an error", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(answer(Target.make("t", () => Effect.interrupt)))
      assert.isTrue(Exit.hasInterrupts(exit))
    })
  )
})
