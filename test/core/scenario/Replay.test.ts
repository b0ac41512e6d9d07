import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import type { CompiledScenario } from "@agent-arena/core/scenario/play/Compiled"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play, start } from "@agent-arena/core/scenario/play/Play"
import type { PlayContext, Respond, TurnRequest } from "@agent-arena/core/scenario/play/PlayContext"
import { capture, storeOf } from "@agent-arena/core/scenario/replay/Capture"
import * as ReplayFile from "@agent-arena/core/scenario/replay/ReplayFile"
import { lookupOrder, type ReplayEntry, ReplayStore } from "@agent-arena/core/scenario/replay/ReplayStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { answer, compiledOf, sent, verdicts } from "./plays.ts"

const looped = (limit: number) =>
  compiledOf(`
scenario: looped
entry: a
turn_limit: ${limit}
nodes:
  a: { prompt: "A?", verify: { contains: ok } }
  b: { prompt: "B?", verify: { contains: ok }, parse: { n: { judge: "The number" } } }
edges: [{ from: a, to: b }, { from: b, to: b }]
`)

/** Plays, counting what was asked of the model and of the judge. */
const counted = (compiled: CompiledScenario, fields: Partial<PlayContext> = {}) => {
  const requests: Array<TurnRequest> = []
  let judged = 0
  const respond: Respond = (request) => {
    requests.push(request)
    return Effect.succeed(answer(`ok ${requests.length}`))
  }
  const ask: PlayContext["ask"] = () => Effect.sync(() => `{"n": ${++judged}}`)
  const context = plainContext({ scenario: "looped", contestant: "ans", judge: "p1", respond, ask, ...fields })
  return Effect.map(play(compiled, context), (result) => ({ result, requests, judged }))
}

const entryOf = (output: string): ReplayEntry => ({
  output,
  toolCalls: [],
  usage: unknownUsage,
  costUsd: null,
  latencyMs: null,
  verdicts: []
})

describe("replaying a play", () => {
  it.effect("asks neither model nor judge, and comes to the same", () =>
    Effect.gen(function* () {
      const compiled = looped(3)
      const first = yield* counted(compiled)
      const again = yield* counted(compiled, { replay: storeOf(first.result, compiled) })
      assert.deepStrictEqual([again.requests.length, again.judged], [0, 0])
      const facts = (turns: typeof first.result.turns) =>
        turns.map(({ node, output, parsed, verifyResult }) => [node, output, parsed, verifyResult])
      assert.deepStrictEqual(facts(again.result.turns), facts(first.result.turns))
    })
  )

  it.effect("another judge judges the same answers anew", () =>
    Effect.gen(function* () {
      const compiled = looped(3)
      const first = yield* counted(compiled)
      const again = yield* counted(compiled, { replay: storeOf(first.result, compiled), judge: "p2" })
      assert.deepStrictEqual([again.requests.length, again.judged], [0, 2])
    })
  )

  it.effect("a visit that was not recorded is asked for, or fails when the recording is strict", () =>
    Effect.gen(function* () {
      const short = looped(3)
      const { result } = yield* counted(short)
      const long = looped(4)
      const store = new ReplayStore()
      capture(store, [result], new Map([["looped", short]]))
      const more = yield* counted(long, { replay: store })
      assert.deepStrictEqual([more.requests.length, more.result.turns.length], [1, 4])

      const strict = new ReplayStore("strict")
      capture(strict, [result], new Map([["looped", short]]))
      const failed = yield* counted(long, { replay: strict })
      const { failure, status } = failed.result
      assert.deepStrictEqual(
        [status, failure?.turn, failure?.category, failure?.stage],
        ["error", 3, "unexpected_error", "GenerateAnswer"]
      )
      assert.isTrue(failure?.reason.startsWith("Replay strict miss"))
    })
  )

  it.effect("a recording of one contestant does not answer for another", () =>
    Effect.gen(function* () {
      const compiled = looped(3)
      const first = yield* counted(compiled)
      const other = yield* counted(compiled, { replay: storeOf(first.result, compiled), contestant: "other" })
      assert.strictEqual(other.requests.length, 3)
    })
  )

  it.effect("a replayed answer stands in the conversation of the next live turn", () =>
    Effect.gen(function* () {
      const store = new ReplayStore()
      store.register(
        { scenario: "looped", node: "a", contestant: null, visit: null, replicate: null },
        entryOf("ok then")
      )
      const { requests, result } = yield* counted(looped(2), { replay: store })
      assert.deepStrictEqual(requests.map(sent)[0], ["user: A?", "assistant: ok then", "user: B?"])
      assert.deepStrictEqual(
        result.turns.map(({ source }) => source),
        ["replay", "live"]
      )
      assert.strictEqual(verdicts(result.turns), "T T")
    })
  )
})

describe("a recorded answer of an agent", () => {
  it.effect("comes back with its calls of tools and what they returned", () =>
    Effect.gen(function* () {
      const compiled = looped(1)
      const used = { ...answer("ok"), toolCalls: [{ name: "search" }], toolResults: ["found"] }
      const first = yield* counted(compiled, { respond: () => Effect.succeed(used) })
      const again = yield* counted(compiled, { replay: storeOf(first.result, compiled) })
      const [turn] = again.result.turns
      assert.deepStrictEqual([turn?.source, turn?.toolCalls, turn?.toolResults], ["replay", used.toolCalls, ["found"]])
    })
  )
})

describe("looking up a recorded answer", () => {
  it("goes from the most specific key to the least", () => {
    const key = { scenario: "s", node: "n", contestant: "M", visit: 1, replicate: 2 }
    const short = (of: typeof key | ReturnType<typeof lookupOrder>[number]) =>
      `${of.contestant ?? "-"}${of.visit ?? "-"}${of.replicate ?? "-"}`
    assert.deepStrictEqual(lookupOrder(key).map(short), ["M12", "M1-", "M-2", "M--", "-12", "-1-", "--2", "---"])
    assert.deepStrictEqual(lookupOrder({ ...key, replicate: null } as never).map(short), ["M1-", "M--", "-1-", "---"])
  })
})

describe("a recording on disk", () => {
  it.effect("is read as it was written, whatever the order of its entries", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-replay-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const compiled = looped(3)
      const { result } = yield* counted(compiled)
      const path = join(folder, "deep", "recording.json")
      yield* ReplayFile.save(path, storeOf(result, compiled, { policy: "strict" }))
      const text = readFileSync(path, "utf8")
      const loaded = yield* ReplayFile.load(path)
      assert.strictEqual(loaded.missPolicy, "strict")
      assert.strictEqual(ReplayFile.toText(loaded), text)
      const again = yield* counted(compiled, { replay: loaded })
      assert.deepStrictEqual([again.requests.length, again.judged], [0, 0])
    })
  )

  it.effect("that is none is refused with its path, in words", () =>
    Effect.gen(function* () {
      const yaml = join(import.meta.dirname, "fixtures", "capital-check.yaml")
      assert.include((yield* Effect.flip(ReplayFile.load(yaml))).message, `${yaml}: not valid JSON: `)
      const nothing = yield* Effect.flip(ReplayFile.load(`${yaml}.json`))
      assert.strictEqual(nothing.message, `${yaml}.json: cannot be read: there is no such file or folder`)
      const below = yield* Effect.flip(ReplayFile.save(join(yaml, "recording.json"), new ReplayStore()))
      assert.include(below.message, "recording.json: cannot be written: a part of its path is not a folder")
    })
  )
})

describe("an interrupted play", () => {
  it.effect("is kept, and goes on at the turn where it stopped", () =>
    Effect.gen(function* () {
      const compiled = looped(3)
      const whole = yield* counted(compiled)
      let calls = 0
      const respond: Respond = () =>
        Effect.suspend(() => (++calls <= 2 ? Effect.succeed(answer(`ok ${calls}`)) : Effect.never))
      let judged = 0
      const ask: PlayContext["ask"] = () => Effect.sync(() => `{"n": ${++judged}}`)
      const playing = yield* start(
        compiled,
        plainContext({ scenario: "looped", contestant: "ans", judge: "p1", respond, ask })
      )
      const fiber = yield* Effect.forkChild(playing.run)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      const partial = playing.snapshot("run_stopped")
      assert.deepStrictEqual([partial.status, partial.turns.length, partial.score], ["run_stopped", 2, null])
      let more = 0
      const resumed = yield* play(
        compiled,
        plainContext({
          scenario: "looped",
          contestant: "ans",
          judge: "p1",
          ask,
          replay: storeOf(partial, compiled),
          respond: () => Effect.sync(() => answer(`ok ${2 + ++more}`))
        })
      )
      assert.strictEqual(more, 1)
      assert.deepStrictEqual(
        resumed.turns.map(({ output }) => output),
        whole.result.turns.map(({ output }) => output)
      )
    })
  )
})
