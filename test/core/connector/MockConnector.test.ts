import { ConnectorMap } from "@agent-arena/core/connector/ConnectorMap"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { cellOf, mockConfig, requestOf } from "./requests.ts"

const mock = (model: string, params: Record<string, unknown> = {}) =>
  Effect.flatMap(ConnectorMap.make(new Map([["subject", mockConfig(model, params)]])), (map) => map.get("subject"))

const answer = (model: string, params: Record<string, unknown>, reference?: unknown, prompt = "Say it") =>
  Effect.gen(function* () {
    const connector = yield* mock(model, params)
    return yield* connector.generate(requestOf(prompt), cellOf(reference === undefined ? {} : { reference }))
  })

const refusal = (model: string, params: Record<string, unknown>) =>
  Effect.map(Effect.flip(mock(model, params)), (error) => error.message)

describe("modes", () => {
  it.effect("an oracle says the reference, whatever its type", () =>
    Effect.gen(function* () {
      for (const [reference, expected] of [
        ["refund", "refund"],
        [["refund", "billing"], "refund"],
        [[], ""],
        [{ a: 1 }, '{"a":1}'],
        [null, ""],
        [42, "42"],
        [false, "false"]
      ] as const) {
        assert.strictEqual((yield* answer("mock:oracle", {}, reference)).text, expected)
      }
      assert.strictEqual((yield* answer("mock", {})).text, "")
    })
  )

  it.effect("the mode is the param, else the suffix when it is one, else oracle", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* answer("mock:echo", {}, "right", "the prompt")).text, "the prompt")
      assert.strictEqual((yield* answer("mock:small", {}, "right")).text, "right")
      assert.strictEqual((yield* answer("mock:empty", {}, "right")).text, "")
      assert.strictEqual((yield* answer("mock:echo", { mode: "fixed", text: "same" }, "right")).text, "same")
      assert.strictEqual((yield* answer("mock:fixed", {}, "right")).text, "")
    })
  )

  it.effect("flaky is right where the hash of model, seed, case and trial is below the accuracy", () =>
    Effect.gen(function* () {
      const rightAt = (accuracy: number, caseId: string) =>
        Effect.gen(function* () {
          const connector = yield* mock("mock:coin", { mode: "flaky", accuracy, wrong_text: "wrong" })
          const { text } = yield* connector.generate(requestOf("?"), cellOf({ caseId, reference: "right" }))
          return text === "right"
        })
      // Draws of the published algorithm: t1 34.72, t2 44.84, t3 99.58, t4 23.06.
      for (const [caseId, draw] of [
        ["t1", 34.72],
        ["t2", 44.84],
        ["t3", 99.58],
        ["t4", 23.06]
      ] as const) {
        assert.isFalse(yield* rightAt(draw, caseId), `${caseId} at its draw`)
        assert.isTrue(yield* rightAt(draw + 0.005, caseId), `${caseId} just above its draw`)
      }
    })
  )

  it.effect("flaky draws anew for each trial and each seed", () =>
    Effect.gen(function* () {
      const outcomes = (seed: string) =>
        Effect.gen(function* () {
          const connector = yield* mock("mock:coin", { mode: "flaky", accuracy: 50, seed })
          const texts = []
          for (let trial = 1; trial <= 64; trial++) {
            texts.push((yield* connector.generate(requestOf("?"), cellOf({ trial, reference: "right" }))).text)
          }
          return texts
        })
      const first = yield* outcomes("a")
      assert.deepStrictEqual(yield* outcomes("a"), first)
      assert.notDeepEqual(yield* outcomes("b"), first)
      const right = first.filter((text) => text === "right").length
      assert.isTrue(right > 16 && right < 48)
    })
  )
})

describe("what a mock reports", () => {
  it.effect("counts a quarter of the characters as tokens, prompt and system apart", () =>
    Effect.gen(function* () {
      const connector = yield* mock("mock:fixed", { mode: "fixed", text: "123456789" })
      const request = requestOf("12345678", { system: "abc" })
      const { usage } = yield* connector.generate(request, cellOf())
      assert.strictEqual(usage.prompt, 3)
      assert.strictEqual(usage.completion, 2)
      assert.strictEqual(usage.cachedRead, null)
      const emoji = yield* connector.generate(requestOf("🙂🙂🙂🙂🙂🙂🙂🙂"), cellOf())
      assert.strictEqual(emoji.usage.prompt, 2)
      const empty = yield* (yield* mock("mock:empty")).generate(requestOf("1234"), cellOf())
      assert.strictEqual(empty.usage.completion, 0)
    })
  )

  it.effect("reports a simulated latency at once, and really waits only when told to sleep", () =>
    Effect.gen(function* () {
      const reported = yield* answer("mock", { latency_ms: 1500 }, "right")
      assert.strictEqual(reported.latencyMs, 1500)
      assert.strictEqual((yield* answer("mock", {}, "right")).latencyMs, null)

      const sleeper = yield* mock("mock", { latency_ms: 1500, sleep: true })
      const fiber = yield* Effect.forkChild(sleeper.generate(requestOf("?"), cellOf({ reference: "right" })))
      yield* TestClock.adjust(1499)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const slept = yield* Fiber.join(fiber)
      assert.strictEqual(slept.text, "right")
      assert.strictEqual(slept.latencyMs, null)
    })
  )
})

describe("script", () => {
  const script = [
    { status: 429, retry_after_s: 1.5 },
    { error: "connection", message: "reset by peer" },
    { status: 200, text: "refund", input_tokens: 7, output_tokens: 0, cost_usd: 0.25, latency_ms: 3 }
  ]

  it.effect("plays one entry per attempt and repeats the last", () =>
    Effect.gen(function* () {
      const connector = yield* mock("mock:demo", { mode: "script", script })
      const attempt = (number: number) => connector.generate(requestOf("?"), cellOf({ attempt: number }))
      const limited = yield* Effect.flip(attempt(1))
      assert.strictEqual(limited.reason, "rate_limited")
      assert.strictEqual(limited.status, 429)
      assert.strictEqual(limited.retryAfterMs, 1500)
      const reset = yield* Effect.flip(attempt(2))
      assert.strictEqual(reset.reason, "connection")
      assert.strictEqual(reset.detail, "reset by peer")
      for (const last of [3, 4, 9]) {
        const { text, usage, costUsd, latencyMs } = yield* attempt(last)
        assert.deepStrictEqual([text, usage.prompt, usage.completion, costUsd, latencyMs], ["refund", 7, 0, 0.25, 3])
      }
    })
  )

  it.effect("has scripts for single cases; other cases are answered by the general script or rightly", () =>
    Effect.gen(function* () {
      const text = (params: Record<string, unknown>, caseId: string) =>
        Effect.gen(function* () {
          const connector = yield* mock("mock:demo", params)
          return (yield* connector.generate(requestOf("?"), cellOf({ caseId, reference: "right" }))).text
        })
      const script_by_case = { odd: [{ text: "special" }] }
      assert.strictEqual(yield* text({ script_by_case }, "odd"), "special")
      assert.strictEqual(yield* text({ script_by_case }, "other"), "right")
      assert.strictEqual(yield* text({ script_by_case, script: [{ text: "general" }] }, "other"), "general")
      assert.strictEqual(yield* text({ script: [{}] }, "other"), "right")
    })
  )

  it.effect("delays and hangs on the clock, and can be interrupted", () =>
    Effect.gen(function* () {
      const connector = yield* mock("mock:demo", { script: [{ delay_ms: 50, text: "late" }, { hang: true }] })
      const late = yield* Effect.forkChild(connector.generate(requestOf("?"), cellOf()))
      yield* TestClock.adjust(49)
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(late)).text, "late")

      const hung = yield* Effect.forkChild(connector.generate(requestOf("?"), cellOf({ attempt: 2 })))
      yield* TestClock.adjust("1 day")
      assert.isUndefined(hung.pollUnsafe())
      yield* Fiber.interrupt(hung)
    })
  )
})

describe("params", () => {
  it.effect("a wrong param is refused when the connector is built, by name", () =>
    Effect.gen(function* () {
      assert.include(yield* refusal("mock:x", { mode: "flakey" }), 'did you mean "flaky"')
      assert.include(yield* refusal("mock:x", { accuracy: "96" }), "params.accuracy")
      assert.include(yield* refusal("mock:x", { accuracy: 101 }), "from 0 to 100")
      assert.include(yield* refusal("mock:x", { latency_ms: -1 }), "params.latency_ms")
      assert.include(yield* refusal("mock:x", { sleep: "yes" }), "params.sleep")
      assert.include(yield* refusal("mock:x", { latencyms: 5 }), 'did you mean "latency_ms"')
      assert.include(yield* refusal("mock:x", { script: [] }), "params.script")
      assert.include(yield* refusal("mock:x", { script: [{ staus: 429 }] }), 'did you mean "status"')
      assert.include(yield* refusal("mock:x", { script: [{ text: "a" }, { error: "conection" }] }), "entry 2: error")
      assert.include(yield* refusal("mock:x", { script_by_case: { c: { text: "a" } } }), 'case "c"')
      assert.include(yield* refusal("mock:x", { mode: "script" }), "needs params.script")
      assert.include(yield* refusal("mock:x", { mode: "fixed", script: [{ text: "a" }] }), "mode script only")
    })
  )

  it.effect("params of other connectors are none of its business", () =>
    Effect.gen(function* () {
      const shared = { top_p: 0.9, reasoning_effort: "low", stop: ["x"], n: 1 }
      assert.strictEqual((yield* answer("mock:x", shared, "right")).text, "right")
    })
  )
})
