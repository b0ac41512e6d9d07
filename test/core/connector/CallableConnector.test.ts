import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { callableConfig, cellOf, echoInner, readyConnector, requestOf } from "./requests.ts"

const call = (
  exportName: string,
  cell: Parameters<typeof cellOf>[0] = {},
  params: Record<string, unknown> = {},
  module = "plain.ts"
) =>
  Effect.flatMap(readyConnector(callableConfig(module, exportName)), (connector) =>
    connector.generate(requestOf("hello", { params }), cellOf(cell))
  )

describe("what a function may return", () => {
  it.effect("a text, now or later", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("upper")).text, "HELLO")
      assert.strictEqual((yield* call("later")).text, "later: hello")
    })
  )

  it.effect("null is no answer, a number is its text", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("silent")).text, "")
      assert.strictEqual((yield* call("number")).text, "1.5")
    })
  )

  it.effect("an object with usage, cost, latency, metrics and a trace in either spelling", () =>
    Effect.gen(function* () {
      const answer = yield* call("measured")
      assert.strictEqual(answer.text, "42")
      assert.deepStrictEqual(answer.usage, {
        prompt: 7,
        completion: 0,
        cachedRead: 3,
        cachedWrite: null,
        reasoning: null
      })
      assert.deepStrictEqual([answer.costUsd, answer.latencyMs], [0, 12.5])
      assert.deepStrictEqual(answer.metrics, { documents: 3 })
      assert.deepStrictEqual(answer.trace, ["looked it up"])
    })
  )

  it.effect("what is not reported is unknown, never estimated", () =>
    Effect.gen(function* () {
      const { usage, costUsd, latencyMs } = yield* call("upper")
      assert.deepStrictEqual(Object.values(usage), [null, null, null, null, null])
      assert.deepStrictEqual([costUsd, latencyMs], [null, null])
    })
  )

  it.effect("anything else is the target's error, told by what was returned", () =>
    Effect.gen(function* () {
      const words = (name: string) =>
        Effect.map(Effect.flip(call(name)), ({ reason, detail }) => [reason, detail] as const)
      for (const [name, expected] of [
        ["forgetful", "return statement"],
        ["list", "a list of 2"],
        ["estimating", '"input_tokens" must be a number']
      ] as const) {
        const [reason, detail] = yield* words(name)
        assert.strictEqual(reason, "target")
        assert.include(detail, expected)
      }
    })
  )
})

describe("failures", () => {
  it.effect("an exception is one bounded line", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call("throws"))
      assert.strictEqual(error.reason, "target")
      assert.isTrue(error.detail.startsWith("it broke: xxx"))
      assert.isAtMost(error.detail.length, 500)
      assert.isTrue(error.isRetryable)
    })
  )

  it.effect("an exception that knows an HTTP status or a socket code is classified by it", () =>
    Effect.gen(function* () {
      const limited = yield* Effect.flip(call("limited"))
      assert.deepStrictEqual([limited.reason, limited.status, limited.retryAfterMs], ["rate_limited", 429, 2000])
      const unreachable = yield* Effect.flip(call("unreachable"))
      assert.strictEqual(unreachable.reason, "connection")
      assert.include(unreachable.detail, "refused")
    })
  )
})

describe("context", () => {
  it.effect("tells the cell and the params, and the reference only when it is exposed", () =>
    Effect.gen(function* () {
      const cell = { reference: "secret answer", tags: ["easy"], trial: 2, metadata: { source: "faq" } }
      const told = JSON.parse((yield* call("reveal", cell, { critic: true })).text)
      assert.deepInclude(told, {
        prompt: "hello",
        caseId: "t1",
        test_id: "t1",
        trial: 2,
        attempt: 1,
        tags: ["easy"],
        params: { critic: true },
        metadata: { source: "faq" },
        messages: [{ role: "user", content: "hello" }]
      })
      assert.notInclude(JSON.stringify(told), "secret answer")
      assert.strictEqual((yield* call("sees", cell)).text, "saw nothing")

      const exposed = yield* readyConnector(callableConfig("plain.ts", "sees", { exposeReference: true }))
      assert.strictEqual((yield* exposed.generate(requestOf("?"), cellOf(cell))).text, "saw secret answer")
    })
  )

  it.effect("makes inner calls through the cell", () =>
    Effect.gen(function* () {
      const answer = yield* call("revise", { generate: echoInner })
      assert.strictEqual(answer.text, "editor says Improve: writer says hello")
      assert.deepStrictEqual(answer.trace, { draft: "writer says hello" })
    })
  )

  it.effect("an inner call that fails keeps its reason", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call("revise"))
      assert.strictEqual(error.reason, "not_found")
      assert.isFalse(error.isRetryable)
    })
  )

  it.effect("an inner call left behind is interrupted when the target returns", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<string>()
      const generate = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, "interrupted"))
      assert.strictEqual((yield* call("careless", { generate })).text, "done")
      assert.strictEqual(yield* Deferred.await(ended), "interrupted")
    })
  )

  it.effect("the signal is aborted by interruption, which does not wait for the target", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const seen: Array<string> = []
      const params = {
        seen: (what: string) => {
          seen.push(what)
          Deferred.doneUnsafe(started, Effect.void)
        }
      }
      const fiber = yield* Effect.forkChild(call("patient", {}, params))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(seen, ["started", "aborted"])
    })
  )
})

describe("Effects", () => {
  const effects = (name: string, cell: Parameters<typeof cellOf>[0] = {}, params = {}) =>
    call(name, cell, params, "effects.ts")

  it.effect("a returned Effect is run", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* effects("answer")).text, "effect: hello")
    })
  )

  it.effect("it makes inner calls as Effects, and can recover from them", () =>
    Effect.gen(function* () {
      const answer = yield* effects("revise", { generate: echoInner })
      assert.strictEqual(answer.text, "writer says hello and editor says hello")
      assert.strictEqual((yield* effects("recovers")).text, "recovered")
    })
  )

  it.effect("its failures and defects are the target's", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(effects("fails"))
      assert.deepStrictEqual([failed.reason, failed.detail], ["target", "SearchFailed: the index is gone"])
      const died = yield* Effect.flip(effects("dies"))
      assert.deepStrictEqual([died.reason, died.detail], ["target", "a defect"])
    })
  )

  it.effect("it is interrupted with the cell", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const params = {
        started: () => Deferred.doneUnsafe(started, Effect.void),
        stopped: () => Deferred.doneUnsafe(stopped, Effect.void)
      }
      const fiber = yield* Effect.forkChild(effects("waits", {}, params))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(stopped)
    })
  )
})
