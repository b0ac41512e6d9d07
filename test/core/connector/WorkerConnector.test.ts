import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { callableConfig, cellOf, connectorOf, echoInner, readyConnector, requestOf } from "./requests.ts"

const config = (exportName: string) => callableConfig("blocking.ts", exportName, { blocking: true })
const blocking = (exportName: string) => readyConnector(config(exportName))
const request = requestOf("hello")

describe("a blocking target", () => {
  it.live("runs beside the main thread, on a worker that is used again", () =>
    Effect.gen(function* () {
      const connector = yield* blocking("thread")
      const first = yield* connector.generate(request, cellOf())
      const second = yield* connector.generate(request, cellOf())
      assert.strictEqual(first.text, "HELLO")
      assert.isAbove(first.metrics["thread"] ?? 0, 0)
      assert.strictEqual(first.metrics["thread"], second.metrics["thread"])
      // It holds its thread for 20 ms, which the worker measures.
      assert.isAtLeast(first.latencyMs ?? 0, 19)
    })
  )

  it.live("has a worker for each call at a time", () =>
    Effect.gen(function* () {
      const connector = yield* blocking("thread")
      const answers = yield* Effect.all(
        Array.from({ length: 3 }, () => connector.generate(request, cellOf())),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map((answer) => answer.metrics["thread"])).size, 3)
    })
  )

  it.live("is terminated by interruption, and replaced", () =>
    Effect.gen(function* () {
      const connector = yield* blocking("sometimes")
      const slow = connector.generate(request, cellOf({ caseId: "slow" }))
      const exit = yield* Effect.exit(Effect.timeout(slow, "200 millis"))
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual((yield* connector.generate(request, cellOf())).text, "hello")
    })
  )

  it.live("makes inner calls over its port", () =>
    Effect.gen(function* () {
      const connector = yield* blocking("inner")
      const answer = yield* connector.generate(request, cellOf({ generate: echoInner }))
      assert.strictEqual(answer.text, "inner: writer says hello")
      const refused = yield* Effect.flip(connector.generate(request, cellOf()))
      assert.deepStrictEqual([refused.reason, refused.detail], ["not_found", "no inner calls here"])
    })
  )

  it.live("that exits its thread, throws, or returns a function fails its own call only", () =>
    Effect.gen(function* () {
      const leaves = yield* blocking("leaves")
      for (let attempt = 1; attempt <= 2; attempt++) {
        const left = yield* Effect.flip(leaves.generate(request, cellOf({ attempt })))
        assert.deepStrictEqual(
          [left.reason, left.detail],
          ["target", "the target ended its worker thread (exit code 3)"]
        )
      }
      const threw = yield* Effect.flip((yield* blocking("throws")).generate(request, cellOf()))
      assert.deepStrictEqual([threw.reason, threw.status, threw.retryAfterMs], ["rate_limited", 429, 2000])
      const unclonable = yield* Effect.flip((yield* blocking("unclonable")).generate(request, cellOf()))
      assert.strictEqual(unclonable.reason, "target")
      assert.include(unclonable.detail, "could not be cloned")
    })
  )

  it.live("prints to stderr, never among the results", () =>
    Effect.gen(function* () {
      const printed = yield* Deferred.make<string>()
      const error = (text: string) => Deferred.doneUnsafe(printed, Effect.succeed(`stderr: ${text}`))
      const log = () => Deferred.doneUnsafe(printed, Effect.succeed("stdout"))
      const prints = Effect.flatMap(blocking("prints"), (connector) => connector.generate(request, cellOf()))
      yield* Effect.provideService(prints, Console.Console, { ...console, error, log })
      assert.strictEqual(yield* Deferred.await(printed), "stderr: debugging aid")
    })
  )

  it.effect("that does not exist is refused when it is built", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(connectorOf(config("treads")))
      assert.include(missing.message, 'did you mean "thread"')
    })
  )
})
