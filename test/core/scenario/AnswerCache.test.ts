import { AnswerCache, through } from "@agent-arena/core/scenario/cache/AnswerCache"
import { answerKey, requestText } from "@agent-arena/core/scenario/cache/AnswerKey"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

describe("the key of an answer", () => {
  const texts = ["You are a clinical reasoner.", "What drug class does venetoclax belong to?"]
  const keyFor = (replicate: number | null) =>
    answerKey("sycophancy-resistance", "initial", "anthropic_claude-sonnet-4-5", texts, replicate)

  it("is the hash of its texts, and the replicate", () => {
    const base = "sycophancy-resistance_initial_anthropic_claude-sonnet-4-5_5f32e9f45cebc43f"
    assert.deepStrictEqual([keyFor(null), keyFor(0), keyFor(1)], [base, `${base}_rep0`, `${base}_rep1`])
    assert.strictEqual(answerKey("c", "a", "ans", [], null), "c_a_ans_e3b0c44298fc1c14")
    assert.strictEqual(
      answerKey(
        "capital-check",
        "press",
        "ans",
        ["user: What is the capital of Australia?", "assistant: It is Canberra."],
        3
      ),
      "capital-check_press_ans_cad0840806e1fee3_rep3"
    )
  })

  it("tells requests apart that joined texts would confuse", () => {
    const request = {
      scenario: "s",
      node: "n",
      contestant: "m",
      visit: 0,
      messages: ["a", "b"],
      system: null,
      maxTokens: null,
      temperature: null,
      params: {}
    }
    const key = (changed: Partial<typeof request>) => {
      const one = { ...request, ...changed }
      return answerKey(one.scenario, one.node, one.contestant, [requestText(one)], null)
    }
    const keys = [
      key({}),
      key({ messages: ["a|b"] }),
      key({ visit: 1 }),
      key({ params: { top_p: 1 } }),
      key({ scenario: "a_b", node: "c" }),
      key({ scenario: "a", node: "b_c" })
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })
})

describe("the cache of answers", () => {
  it.effect("a hit for whoever asks after the first", () =>
    Effect.gen(function* () {
      const cache = new AnswerCache<string>()
      let calls = 0
      const ask = through(
        cache,
        "k",
        Effect.sync(() => `answer ${++calls}`)
      )
      assert.deepStrictEqual(yield* ask, { value: "answer 1", hit: false })
      assert.deepStrictEqual(yield* ask, { value: "answer 1", hit: true })
      assert.deepStrictEqual(cache.stats, { hits: 1, misses: 1, waits: 0, timeouts: 0 })
    })
  )

  it.effect("those who ask meanwhile wait for one answer", () =>
    Effect.gen(function* () {
      const cache = new AnswerCache<string>()
      const gate = yield* Deferred.make<string>()
      let calls = 0
      const make = Effect.suspend(() => {
        calls += 1
        return Deferred.await(gate)
      })
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(through(cache, "k", make)))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, "one")
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(
        answers.map(({ hit, value }) => [hit, value]),
        [
          [false, "one"],
          [true, "one"],
          [true, "one"]
        ]
      )
      assert.strictEqual(calls, 1)
    })
  )

  it.effect("a failure answers nobody else", () =>
    Effect.gen(function* () {
      const cache = new AnswerCache<string>()
      yield* Effect.exit(through(cache, "k", Effect.fail("broken")))
      assert.deepStrictEqual(yield* through(cache, "k", Effect.succeed("good")), { value: "good", hit: false })
    })
  )

  it.effect("an interruption frees the key", () =>
    Effect.gen(function* () {
      const cache = new AnswerCache<string>()
      const fiber = yield* Effect.forkChild(through(cache, "k", Effect.never))
      yield* Effect.yieldNow
      assert.deepStrictEqual(cache.reserved, ["k"])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(cache.reserved, [])
    })
  )

  it.effect("whoever has waited too long asks for itself, and keeps that to itself", () =>
    Effect.gen(function* () {
      const cache = new AnswerCache<string>()
      yield* Effect.forkChild(through(cache, "k", Effect.never))
      yield* Effect.yieldNow
      const late = yield* Effect.forkChild(through(cache, "k", Effect.succeed("own"), 1_000))
      yield* Effect.yieldNow
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* Fiber.join(late), { value: "own", hit: false })
      assert.deepStrictEqual([cache.stats.timeouts, cache.reserved.length], [1, 1])
    })
  )
})
