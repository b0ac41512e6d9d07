import { Connector, type ConnectorConfig } from "@agent-arena/core/connector/Connector"
import { layerMock } from "@agent-arena/core/connector/mock/MockConnector"
import type { CellContext, GenerationRequest } from "@agent-arena/core/domain/Generation"
import type { GenerationError } from "@agent-arena/core/domain/GenerationError"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import { type CallEnvironment, call, callSettings } from "@agent-arena/core/engine/Call"
import * as CellClocks from "@agent-arena/core/engine/CellClock"
import * as Pacing from "@agent-arena/core/engine/Pacing"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const request: GenerationRequest = {
  messages: [{ role: "user", content: "hello" }],
  prompt: "hello",
  system: null,
  maxTokens: null,
  temperature: null,
  seed: null,
  params: {}
}

const cellOf = (attempt: number): CellContext => ({
  contestant: ContestantKey.make("c"),
  caseId: CaseId.make("t1"),
  trial: 1,
  attempt,
  tags: [],
  metadata: {},
  generate: () => Effect.die("no inner calls here")
})

const configOf = (script: ReadonlyArray<unknown>): ConnectorConfig => ({
  source: { _tag: "Model", model: "mock:s", provider: "mock", apiKeyEnv: null, apiBase: null },
  kind: "mock",
  profile: null,
  model: "mock:s",
  params: { mode: "script", script },
  root: "/",
  env: {},
  exposeReference: false,
  blocking: false
})

interface Failed {
  readonly attempt: number
  readonly error: GenerationError
  readonly retryInMs: number | null
}

interface SetUp {
  readonly retries?: number
  readonly requestTimeoutMs?: number | null
  readonly cellTimeoutMs?: number | null
  readonly backoffMs?: number
  readonly pace?: Pacing.Pace
}

/** A scripted model behind the engine's call, with everything it reports. */
const setUp = Effect.fnUntraced(function* (script: ReadonlyArray<unknown>, options: SetUp = {}) {
  const connector = Context.get(yield* Layer.build(layerMock(configOf(script))), Connector)
  const failures: Array<Failed> = []
  const waits: Array<number> = []
  const lent: Array<string> = []
  const pace = options.pace ?? Pacing.make("test", null)
  const environment: CallEnvironment = {
    clock: yield* Clock.Clock,
    cellClock: CellClocks.make(options.cellTimeoutMs ?? null),
    lend: (wait) =>
      Effect.suspend(() => {
        lent.push("lent")
        return Effect.tap(wait, () => Effect.sync(() => lent.push("back")))
      }),
    lendInner: (wait) => wait,
    sent: () => {},
    isOver: () => false,
    attemptFailed: (attempt, error, retryInMs) => failures.push({ attempt, error, retryInMs }),
    rateLimited: (_pace, waitMs) => waits.push(waitMs),
    scrub: (text) => text.replaceAll("sesame", "***")
  }
  const settings = callSettings({
    connector,
    pace,
    retry: { retries: options.retries ?? 2, backoffMs: options.backoffMs ?? 0, maxRetryAfterMs: 60_000 },
    requestTimeoutMs: options.requestTimeoutMs ?? null,
    priceOf: () => null
  })
  const run = Effect.suspend(() => {
    const called = call(settings, environment, request, cellOf)
    return Effect.isEffect(called) ? called : Effect.succeed(called)
  })
  return { failures, waits, lent, pace, run }
})

describe("call", () => {
  it.effect("answers at the first attempt", () =>
    Effect.gen(function* () {
      const { run, failures, lent } = yield* setUp([{ text: "refund", input_tokens: 3, output_tokens: 1 }])
      const outcome = yield* run
      assert.strictEqual(outcome.answer?.text, "refund")
      assert.strictEqual(outcome.answer?.usage.prompt, 3)
      assert.lengthOf(outcome.attempts, 1)
      assert.deepStrictEqual([failures, lent], [[], []])
    })
  )

  it.effect("repeats what may heal and keeps every attempt", () =>
    Effect.gen(function* () {
      const { run, failures } = yield* setUp([{ status: 500 }, { error: "connection" }, { text: "ok" }])
      const outcome = yield* run
      assert.strictEqual(outcome.answer?.text, "ok")
      assert.deepStrictEqual(
        outcome.attempts.map(({ error }) => error?.reason ?? null),
        ["server", "connection", null]
      )
      assert.deepStrictEqual(
        failures.map(({ attempt, retryInMs }) => [attempt, retryInMs]),
        [
          [1, 0],
          [2, 0]
        ]
      )
    })
  )

  it.effect("does not repeat what cannot heal", () =>
    Effect.gen(function* () {
      const { run, failures } = yield* setUp([{ status: 401 }, { text: "never" }])
      const outcome = yield* run
      assert.isNull(outcome.answer)
      assert.strictEqual(outcome.error?.reason, "authentication")
      assert.deepStrictEqual(
        failures.map(({ retryInMs }) => retryInMs),
        [null]
      )
    })
  )

  it.effect("cuts a hanging attempt at the request limit and tries again", () =>
    Effect.gen(function* () {
      const { run } = yield* setUp([{ hang: true }, { text: "second" }], { requestTimeoutMs: 1_000 })
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust(1_000)
      const outcome = yield* Fiber.join(fiber)
      assert.strictEqual(outcome.answer?.text, "second")
      assert.strictEqual(outcome.attempts[0]?.error?.reason, "timeout")
      assert.strictEqual(outcome.attempts[0]?.durationMs, 1_000)
    })
  )

  it.effect("ends with the cell when the cell's limit is due first", () =>
    Effect.gen(function* () {
      const { run } = yield* setUp([{ hang: true }], { requestTimeoutMs: 1_000, cellTimeoutMs: 2_500 })
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust(2_500)
      const outcome = yield* Fiber.join(fiber)
      assert.isTrue(outcome.cellTimedOut)
      assert.deepStrictEqual(
        outcome.attempts.map(({ error }) => error?.kind),
        ["generation", "generation", "timeout"]
      )
    })
  )

  it.effect("does not sleep past the cell's limit", () =>
    Effect.gen(function* () {
      const { run } = yield* setUp([{ status: 429, retry_after_s: 30 }], { cellTimeoutMs: 5_000 })
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust(5_000)
      const outcome = yield* Fiber.join(fiber)
      assert.isTrue(outcome.cellTimedOut)
      assert.strictEqual(outcome.retryWaitMs, 5_000)
      assert.strictEqual(outcome.error?.reason, "rate_limited")
    })
  )

  it.effect("pauses the whole account after a 429, and lends its slot while it waits", () =>
    Effect.gen(function* () {
      const pace = Pacing.make("account", null)
      const first = yield* setUp([{ status: 429, retry_after_s: 10 }, { text: "late" }], { pace })
      const second = yield* setUp([{ text: "also late" }], { pace })
      const one = yield* Effect.forkChild(first.run, { startImmediately: true })
      const two = yield* Effect.forkChild(second.run, { startImmediately: true })
      yield* TestClock.adjust(9_999)
      assert.isUndefined(two.pollUnsafe())
      assert.deepStrictEqual(second.lent, ["lent"])
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* Fiber.join(one)).answer?.text, "late")
      const outcome = yield* Fiber.join(two)
      assert.strictEqual(outcome.answer?.text, "also late")
      assert.isAtLeast(outcome.rateLimitWaitMs, 10_000)
      assert.deepStrictEqual(second.waits, [outcome.rateLimitWaitMs])
      assert.deepStrictEqual(second.lent, ["lent", "back"])
    })
  )

  it.effect("fails at once, and says why, when the server asks for a longer wait than allowed", () =>
    Effect.gen(function* () {
      const { run } = yield* setUp([{ status: 429, retry_after_s: 120 }])
      const outcome = yield* run
      assert.lengthOf(outcome.attempts, 1)
      assert.include(outcome.error?.detail, "120 s")
      assert.include(outcome.error?.detail, "run.max_retry_after_s")
    })
  )

  it.effect("does not count waiting for the account against the cell", () =>
    Effect.gen(function* () {
      const pace = Pacing.make("account", null)
      const { run } = yield* setUp([{ delay_ms: 900, text: "in time" }], { pace, cellTimeoutMs: 1_000 })
      pace.pauseUntil(5_000)
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust(6_000)
      const outcome = yield* Fiber.join(fiber)
      assert.isFalse(outcome.cellTimedOut)
      assert.strictEqual(outcome.answer?.text, "in time")
    })
  )
})
