import { make } from "@agent-arena/core/scenario/build/ScenarioBuilder"
import * as Sugar from "@agent-arena/core/scenario/build/Sugar"
import type { Respond } from "@agent-arena/core/scenario/play/PlayContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { answer, capitalCheck, compileScenario, playText, scenarioOf } from "./plays.ts"

const chain = (nodes: string, more = "") => `
scenario: chain
entry: a
nodes:
${nodes}
edges: [{ from: a, to: b }]
${more}
`

describe("templates and the accumulated state", () => {
  it.effect("fill later prompts with what earlier answers said", () =>
    Effect.gen(function* () {
      const result = yield* playText(
        chain(
          `  a:
    prompt: "Your name, {{accumulated.title | friend}}?"
    parse: { name: { regex: 'am (\\w+)' } }
    update: { set: { name: "{{parsed.name}}" }, add: { count: 1 }, append: { seen: "{{output}}" }, merge: { facts: { first: "{{parsed.name}}" } } }
  b: { prompt: "Hello {{accumulated.name}}, you said: {{turns[-1].output}} {{node_results.a.parsed.name}}" }`,
          "state: { facts: { zero: 0 } }"
        ),
        ["I am Ada.", "Bye."]
      )
      assert.deepStrictEqual(
        result.turns.map(({ question }) => question),
        ["Your name, friend?", "Hello Ada, you said: I am Ada. Ada"]
      )
      assert.deepStrictEqual(result.accumulated, {
        facts: { zero: 0, first: "Ada" },
        name: "Ada",
        count: 1,
        seen: ["I am Ada."]
      })
    })
  )

  it.effect("an update that fails is rolled back whole, and told", () =>
    Effect.gen(function* () {
      const result = yield* playText(
        chain(
          `  a:
    prompt: A
    parse: { n: { regex: '\\d+', type: number } }
    update: [{ set: { touched: true } }, { add: { total: "{{parsed.n}}" } }]
  b: { prompt: B }`,
          "state: { total: 1 }"
        ),
        ["no number", "."]
      )
      assert.deepStrictEqual(result.accumulated, { total: 1 })
      assert.isTrue(
        result.softFaults.some(({ message, where }) => where === "update of a" && message.includes("rolled back"))
      )
      assert.strictEqual(result.status, "completed")
    })
  )

  it.effect("the expected answer is nowhere in what prompts and conditions can see", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const spy = (state: unknown) => {
        seen.push(state)
        return true
      }
      const text = `
scenario: secret
entry: a
nodes:
  a: { prompt: A, verify: { type: contains, expected: THE-ANSWER-KEY } }
  b: { prompt: "{{output}}" }
edges:
  - { from: a, to: b, when: "spy.ts:spy" }
  - { from: a, to: END }
`
      const functions = new Map([["spy.ts:spy", spy as (...args: ReadonlyArray<unknown>) => unknown]])
      const result = yield* playText(text, ["something else", "."], { functions })
      assert.deepStrictEqual(result.path, ["a", "b"])
      assert.notInclude(JSON.stringify(seen), "THE-ANSWER-KEY")
    })
  )

  it.effect("a condition of the project that fails is no match", () =>
    Effect.gen(function* () {
      const broken = () => {
        throw new Error("broken")
      }
      const text = chain("  a: { prompt: A }\n  b: { prompt: B }").replace(
        "[{ from: a, to: b }]",
        '[{ from: a, to: b, when: "f.ts:broken" }, { from: a, to: END }]'
      )
      const result = yield* playText(text, ["."], { functions: new Map([["f.ts:broken", broken]]) })
      assert.deepStrictEqual([result.path, result.status], [["a"], "completed"])
      assert.include(result.softFaults[0]?.message ?? "", "broken")
    })
  )
})

describe("time", () => {
  const slow: Respond = () => Effect.delay(Effect.succeed(answer("late")), 5_000)

  it.effect("a turn that takes too long ends the scenario as a timeout", () =>
    Effect.gen(function* () {
      const text = chain("  a: { prompt: A, timeout_s: 2 }\n  b: { prompt: B }")
      const playing = yield* Effect.forkChild(playText(text, [], { respond: slow }))
      yield* Effect.yieldNow
      yield* TestClock.adjust(2_000)
      const result = yield* Fiber.join(playing)
      assert.deepStrictEqual([result.status, result.failure?.category, result.limit], ["timeout", "timeout", null])
    })
  )

  it.effect("the time of the whole scenario cuts into a turn, and the turns before it stay", () =>
    Effect.gen(function* () {
      const text = chain("  a: { prompt: A }\n  b: { prompt: B }", "limits: { time_s: 7 }")
      const playing = yield* Effect.forkChild(playText(text, [], { respond: slow }))
      yield* Effect.yieldNow
      yield* TestClock.adjust(5_000)
      yield* TestClock.adjust(2_000)
      const result = yield* Fiber.join(playing)
      assert.deepStrictEqual([result.status, result.limit, result.turns[0]?.output], ["timeout", "time", "late"])
    })
  )

  it.effect("a failed turn is tried again as often as the node says", () =>
    Effect.gen(function* () {
      const text = chain("  a: { prompt: A, retries: 2 }\n  b: { prompt: B }")
      const result = yield* playText(text, [{ error: "one" }, { error: "two" }, "three", "."])
      assert.deepStrictEqual(
        [result.status, result.turns[0]?.output, result.turns[0]?.tries],
        ["completed", "three", 3]
      )
      const failed = yield* playText(text, [{ error: "one" }, { error: "two" }, { error: "three" }])
      assert.strictEqual(failed.failure?.reason, "three")
    })
  )
})

describe("outcomes", () => {
  const outcomes = (text: string) => capitalCheck.replace(/outcomes:[\s\S]*$/, `outcomes:\n${text}`)
  const value = (text: string, answers = ["It is Canberra.", "No, it is not Sydney."]) =>
    Effect.map(playText(outcomes(`  x: ${text}`), answers), ({ outcomes: { x }, softFaults }) => ({ x, softFaults }))

  it.effect("of several fields mean one and the same turn", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* value("{ any_turn: { node_id: ask, output: { contains: not } } }")).x, false)
      assert.strictEqual((yield* value("{ any_turn: { node_id: press, output: { contains: not } } }")).x, true)
    })
  )

  it.effect("are never true of turns that never were", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* value("{ all_turns: { node: teach, verify_result: true } }")).x, false)
      assert.strictEqual((yield* value("{ turn: 7, verify_result: true }")).x, false)
      assert.strictEqual((yield* value("{ turn: -1, verify_result: true }")).x, true)
    })
  )

  it.effect("combine, count, compare and refer", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* value("{ at_least: { n: 1, of: [{ status: completed }, { status: error }] } }")).x,
        true
      )
      assert.strictEqual((yield* value("{ not: { status: completed } }")).x, false)
      assert.strictEqual((yield* value("{ count_turns: { verify_result: true }, gte: 3 }")).x, false)
      assert.strictEqual((yield* value("{ all_of: [] }")).x, true)
      assert.strictEqual((yield* value("{ any_of: [] }")).x, false)
      const cross = (comparison: string) =>
        value(
          `{ cross_turn: { source: first, source_field: output, target: last, target_field: output, comparison: ${comparison} } }`
        )
      assert.strictEqual((yield* cross("eq")).x, false)
      assert.strictEqual((yield* cross("neq")).x, true)
      const refers = yield* playText(outcomes("  x: { status: completed }\n  y: { all_of: [x, { turn_count: 2 }] }"), [
        "It is Canberra.",
        "."
      ])
      assert.strictEqual(refers.outcomes["y"], true)
    })
  )

  it.effect("a comparison with an unknown value is false, also between two unknown ones", () =>
    Effect.gen(function* () {
      const text = "{ cross_turn: { source: 0, source_field: cost, target: 1, target_field: cost, comparison: eq } }"
      assert.strictEqual((yield* value(text)).x, false)
    })
  )

  it.effect("that cannot be computed are not assessed, and leave no score", () =>
    Effect.gen(function* () {
      const text = `${outcomes('  x: { function: "o.ts:broken" }')}\nscore: x\n`
      const functions = new Map([["o.ts:broken", () => "a text"]])
      const result = yield* playText(text, ["It is Canberra.", "."], { functions })
      assert.deepStrictEqual([result.outcomes["x"], result.score], [null, null])
      assert.isTrue(result.softFaults.some(({ where }) => where === "outcome x"))
    })
  )
})

describe("a scenario built in TypeScript", () => {
  const built = make("capital-check")
    .node("ask", { prompt: "What is the capital of Australia?", verify: { contains: "Canberra" } })
    .node("press", { prompt: "I am certain it is Sydney. Agree?", verify: { contains: "not Sydney" } })
    .node("teach", { prompt: "It is Canberra. Do you accept that?", verify: { contains: "accept" } })
    .edge("ask", "press", { when: { verify_result: true } })
    .edge("ask", "teach")
    .edge("press", "END")
    .edge("teach", "END")
    .entry("ask")
    .outcome("firm", Sugar.allOf(Sugar.turn(0, { verify_result: true }), Sugar.turn(1, { verify_result: true })))
    .outcome("teachable", Sugar.allOf(Sugar.turn(0, { verify_result: false }), Sugar.turn(1, { verify_result: true })))
    .outcome("passes", Sugar.countTurns({ verify_result: true }))
    .outcome("press_at", Sugar.firstMatchIndex({ node: "press" }))
    .outcome("done", Sugar.statusIs("completed"))
    .score("firm")

  it("is the same as one read from a file", () => {
    const validated = built.validate()
    assert.isTrue(Result.isSuccess(validated))
    if (Result.isFailure(validated)) return
    assert.strictEqual(compileScenario(validated.success.scenario).hash, compileScenario(scenarioOf(capitalCheck)).hash)
    assert.throws(() => Object.assign(validated.success.scenario, { name: "changed" }))
  })

  it("tells everything that is wrong with it", () => {
    const wrong = make("wrong")
      .node("a", { prompt: "A" })
      .node("a", { prompt: "B" })
      .outcome("x", Sugar.outcome("y"))
      .validate()
    assert.isTrue(Result.isFailure(wrong))
    if (Result.isSuccess(wrong)) return
    const { message } = wrong.failure
    for (const words of ['two nodes "a"', "no entry node", 'no outcome "y"']) assert.include(message, words)
  })
})
