import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { RequestCap, requestCap, underCap } from "@agent-arena/core/scenario/executor/RequestCap"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { json, loopback } from "../connector/loopback.ts"

interface Seen {
  total: number
  now: number
  most: number
}

/** An endpoint that answers after a moment and counts the requests that are in flight. */
const endpoint = Effect.suspend(() => {
  const seen: Seen = { total: 0, now: 0, most: 0 }
  const server = loopback((_, response) => {
    seen.total += 1
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    setTimeout(() => {
      seen.now -= 1
      json(response, { output: "ok" })
    }, 4)
  })
  return Effect.map(server, ({ origin }) => ({ url: `${origin}/`, seen }))
})

const scenario = `scenario: talk
entry: a
nodes: { a: { prompt: "A?", verify: { contains: ok } }, b: { prompt: "B?", verify: { type: asks } } }
edges: [{ from: a, to: b }]
outcomes: { all: { all_turns: { verify_result: true } } }
score: all
`

/** Plain cells, turns, inner calls of a pipeline side by side, and a scorer that asks. */
const folderOf = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-cap-"))
      for (const name of ["scenarios", "scorers"]) mkdirSync(join(folder, name))
      writeFileSync(join(folder, "scenarios", "talk.yaml"), scenario)
      writeFileSync(
        join(folder, "scorers", "asks.ts"),
        'import * as Effect from "effect/Effect"\nexport default (output, reference, { cell }) => Effect.map(cell.generate("direct", { prompt: "Is it?" }), ({ text }) => text === "ok")\n'
      )
      writeFileSync(
        join(folder, "pipeline.ts"),
        `export const both = async (prompt, { generate }) => {
  const answers = await Promise.all([generate("direct", prompt), generate("direct", prompt)])
  return answers[0].text
}
`
      )
      const cases = ["1", "2", "3", "4"].map((id) => JSON.stringify({ id, input: "plain", expected: "ok" }))
      writeFileSync(join(folder, "tests.jsonl"), cases.join("\n"))
      const targets = [
        { key: "direct", url },
        { key: "pipeline", run: "pipeline.ts:both" }
      ]
      const run = { concurrency: 8, trials: 2, retries: 0, request_timeout_s: 5 }
      const config = { project: "p", targets, scorers: { paths: ["scorers"] }, run }
      writeFileSync(join(folder, "config.json"), JSON.stringify(config))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const runWith = (cap: number | null) =>
  Effect.gen(function* () {
    const { seen, url } = yield* endpoint
    const project = yield* Project.load(yield* folderOf(url))
    const whole = Effect.gen(function* () {
      const run = yield* Arena.start(project)
      return (yield* run.result).run.counts
    })
    const counts = yield* Effect.provideService(whole, RequestCap, cap === null ? null : requestCap(cap))
    assert.deepStrictEqual([counts.finished, counts.errored, counts.timedOut], [20, 0, 0])
    return seen
  }).pipe(Effect.scoped, Effect.provide(Arena.layer))

describe("a cap on requests", () => {
  it.live("holds for plain cells, turns, inner calls and scorers alike", () =>
    Effect.gen(function* () {
      const free = yield* runWith(null)
      assert.isAbove(free.most, 3)
      const capped = yield* runWith(3)
      assert.deepStrictEqual([capped.most, capped.total], [3, free.total])
    })
  )

  it.live(
    "of one lets everything through, one after the other: who waits and who only calls others holds nothing",
    () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* runWith(1)).most, 1)
      })
  )

  it.effect("is not needed twice for what a request does itself", () =>
    Effect.gen(function* () {
      const cap = requestCap(1)
      const inner = Effect.flatMap(RequestCap, (own) => (own === null ? Effect.succeed("free") : Effect.never))
      const answered = yield* Effect.provideService(underCap(cap, inner), RequestCap, cap)
      assert.strictEqual(answered, "free")
    })
  )

  it.effect("is free again however and whenever those who share it are interrupted", () =>
    Effect.gen(function* () {
      for (let steps = 0; steps < 30; steps++) {
        const cap = requestCap(2)
        const request = Effect.repeat(Effect.yieldNow, { times: 3 })
        const all = Effect.all(
          Array.from({ length: 6 }, () => underCap(cap, request)),
          { concurrency: "unbounded" }
        )
        const fiber = yield* Effect.forkChild(all)
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Option.isSome(yield* cap.withPermitsIfAvailable(2)(Effect.void)), `after ${steps} steps`)
      }
    })
  )
})
