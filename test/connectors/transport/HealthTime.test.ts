import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { ask, connect } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"

it.effect("a health check gives a server five seconds", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(() => undefined)
    const connector = yield* connect({ kind: "vllm", model: "m", apiBase: server.url })
    const check = yield* Effect.forkChild(connector.healthCheck, { startImmediately: true })
    yield* server.arrived(1)
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(check)).toContain("no answer within 5 s")
    yield* server.closed(1)
  })
)

it.effect("a call may take ten minutes where nothing else is said", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(() => undefined)
    const options = { kind: "vllm", model: "m", apiBase: server.url }
    const silent = yield* Effect.forkChild(Effect.flip(ask(options)), { startImmediately: true })
    yield* server.arrived(1)
    yield* TestClock.adjust("599 seconds")
    expect(silent.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(silent)).toMatchObject({ reason: "timeout", detail: "no complete answer within 600 s" })
  })
)
