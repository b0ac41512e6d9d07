import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Connector } from "@agent-arena/core/connector/Connector"
import * as Generations from "@agent-arena/core/domain/Generation"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import { cachedConnector } from "@agent-arena/core/engine/cache/CachedConnector"
import { ResponseCache } from "@agent-arena/core/engine/cache/ResponseCache"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-cache-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const open = (path: string) => Effect.map(Layer.build(ResponseCache.layer(path)), Context.get(ResponseCache))

const request: Generations.GenerationRequest = {
  messages: [{ role: "user", content: "hello" }],
  prompt: "hello",
  system: null,
  maxTokens: null,
  temperature: null,
  seed: null,
  params: {}
}

const cell = (trial = 1): Generations.CellContext => ({
  contestant: ContestantKey.make("c"),
  caseId: CaseId.make("t"),
  trial,
  attempt: 1,
  tags: [],
  metadata: {},
  generate: () => Effect.die("no inner calls here")
})

/** A connector that counts its calls and answers after `delayMs`; the first `failures` calls fail. */
const counting = (delayMs = 0, failures = 0) => {
  const state = { calls: 0 }
  const connector: Connector["Service"] = {
    provider: "counting",
    healthCheck: Effect.succeed(null),
    secrets: [],
    generate: () =>
      Effect.suspend(() => {
        state.calls += 1
        const number = state.calls
        if (number <= failures) return Effect.fail(GenerationErrors.make({ reason: "server", detail: "down" }))
        const answer = Generations.make({ text: `answer ${number}`, latencyMs: 12 })
        return delayMs === 0 ? Effect.succeed(answer) : Effect.as(Effect.sleep(delayMs), answer)
      })
  }
  return { state, connector }
}

const identity = { contestantHash: "hash", model: "m" }

describe("response cache", () => {
  it.effect("answers a repeated request without a call, and marks it, also after reopening", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { connector, state } = counting()
      const first = yield* Effect.scoped(
        Effect.flatMap(open(path), (cache) =>
          cachedConnector(connector, identity, cache, () => {}).generate(request, cell())
        )
      )
      const cached = cachedConnector(connector, identity, yield* open(path), () => {})
      const second = yield* cached.generate(request, cell())
      assert.strictEqual(state.calls, 1)
      assert.isUndefined(first.answeredFrom)
      assert.deepStrictEqual(second, { ...first, answeredFrom: "cache" as const })
    })
  )

  it.effect("asks again for another trial, prompt, param or contestant", () =>
    Effect.gen(function* () {
      const cache = yield* open(yield* folder)
      const { connector, state } = counting()
      const cached = cachedConnector(connector, identity, cache, () => {})
      yield* cached.generate(request, cell(1))
      yield* cached.generate(request, cell(2))
      yield* cached.generate({ ...request, messages: [{ role: "user", content: "bye" }] }, cell(1))
      yield* cached.generate({ ...request, params: { top_p: 1 } }, cell(1))
      yield* cachedConnector(connector, { ...identity, contestantHash: "other" }, cache, () => {}).generate(
        request,
        cell(1)
      )
      assert.strictEqual(state.calls, 5)
    })
  )

  it.effect("does not know a request by the folder of a play, and asks programs that work in one each time", () =>
    Effect.gen(function* () {
      const cache = yield* open(yield* folder)
      const { connector, state } = counting()
      const asking = (provider: string, run: string) => {
        const workspace = `/results/workspaces/${run}/talk/c/rep_1/turn_1`
        const content = `Read ${workspace}/traces/audit_0123456789_trace.txt`
        const scenario = { node: "audit", turn: 1, workspace, trace: null, traceFile: null }
        return cachedConnector({ ...connector, provider }, identity, cache, () => {}).generate(
          { ...request, messages: [{ role: "user", content }], prompt: content },
          { ...cell(), scenario }
        )
      }
      yield* asking("openai", "run_1")
      yield* asking("openai", "run_2")
      assert.strictEqual(state.calls, 1)
      yield* asking("command", "run_1")
      yield* asking("command", "run_1")
      assert.strictEqual(state.calls, 3)
    })
  )

  it.effect("has one call a key in flight", () =>
    Effect.gen(function* () {
      const cache = yield* open(yield* folder)
      const { connector, state } = counting(1_000)
      const cached = cachedConnector(connector, identity, cache, () => {})
      const fibers = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(cached.generate(request, cell()), { startImmediately: true })
      )
      yield* TestClock.adjust(1_000)
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(state.calls, 1)
      assert.deepStrictEqual(
        answers.map(({ answeredFrom, text }) => [text, answeredFrom]),
        [
          ["answer 1", undefined],
          ["answer 1", "cache"],
          ["answer 1", "cache"]
        ]
      )
    })
  )

  it.effect("does not keep failures, and lets who waited for one try itself", () =>
    Effect.gen(function* () {
      const cache = yield* open(yield* folder)
      const { connector, state } = counting(0, 1)
      const cached = cachedConnector(connector, identity, cache, () => {})
      const failed = yield* Effect.exit(cached.generate(request, cell()))
      assert.strictEqual(failed._tag, "Failure")
      assert.strictEqual((yield* cached.generate(request, cell())).text, "answer 2")
      assert.strictEqual(state.calls, 2)
    })
  )

  it.effect("lets another try when the call that others wait for is interrupted", () =>
    Effect.gen(function* () {
      const cache = yield* open(yield* folder)
      const { connector, state } = counting(1_000)
      const cached = cachedConnector(connector, identity, cache, () => {})
      const first = yield* Effect.forkChild(cached.generate(request, cell()), { startImmediately: true })
      const second = yield* Effect.forkChild(cached.generate(request, cell()), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* Fiber.join(second)).text, "answer 2")
      assert.strictEqual(state.calls, 2)
    })
  )

  it.effect("lists and removes by age", () =>
    Effect.gen(function* () {
      const cache = yield* open(yield* folder)
      const { connector } = counting()
      const cached = cachedConnector(connector, identity, cache, () => {})
      yield* cached.generate(request, cell(1))
      yield* TestClock.adjust("1 hour")
      yield* cached.generate(request, cell(2))
      const listed = yield* cache.list
      assert.deepStrictEqual(
        listed.map(({ caseId, contestant, createdAt, model }) => [contestant, model, caseId, createdAt]),
        [
          ["c", "m", "t", "1970-01-01T01:00:00.000Z"],
          ["c", "m", "t", "1970-01-01T00:00:00.000Z"]
        ]
      )
      assert.strictEqual(yield* cache.remove("1970-01-01T00:30:00.000Z"), 1)
      assert.lengthOf(yield* cache.list, 1)
      assert.strictEqual(yield* cache.remove(null), 1)
    })
  )

  it.effect("fails with the path when the folder cannot be made", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(open("/dev/null/cache")))
      assert.strictEqual(error._tag, "StoreError")
      assert.include(error.message, "/dev/null/cache")
    })
  )
})
