import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { make as target } from "@agent-arena/core/connector/Target"
import type { TargetRun } from "@agent-arena/core/domain/Contestant"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const scenario = (name: string): string => `scenario: ${name}
entry: a
nodes: { a: { prompt: "turn" }, b: { prompt: "turn" }, c: { prompt: "turn" } }
edges: [{ from: a, to: b }, { from: b, to: c }]
outcomes: { done: { status: completed } }
score: done
`

/** Three scenarios of three turns beside three plain cases. */
const folderOf = (run: Readonly<Record<string, unknown>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-shared-"))
      mkdirSync(join(folder, "scenarios"))
      for (const name of ["x", "y", "z"]) writeFileSync(join(folder, "scenarios", `${name}.yaml`), scenario(name))
      const cases = ["1", "2", "3"].map((id) => JSON.stringify({ id, input: "plain", expected: "ok" }))
      writeFileSync(join(folder, "tests.jsonl"), cases.join("\n"))
      const models = [{ key: "m", model: "mock:m", params: { mode: "fixed", text: "ok" } }]
      writeFileSync(join(folder, "config.json"), JSON.stringify({ project: "p", models, run }))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const play = (folder: string, answer: TargetRun<never>, keys: ReadonlyArray<string> = ["t"]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const loaded = yield* Project.load(folder)
      const targets = keys.map((key) => target(key, answer))
      const run = yield* Arena.start(Project.withContestants({ ...loaded, contestants: [] }, targets))
      return (yield* run.result).run.counts
    })
  ).pipe(Effect.provide(Arena.layer))

/** Counts the requests in flight; each lasts a few turns of the event loop. */
const counting = () => {
  const seen = { now: 0, most: 0, plain: 0, turns: 0, together: false }
  let turnsNow = 0
  const answer: TargetRun<never> = ({ prompt }) =>
    Effect.suspend(() => {
      const isTurn = prompt !== "plain"
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      if (isTurn) {
        seen.turns += 1
        turnsNow += 1
      } else seen.plain += 1
      seen.together ||= turnsNow > 0 && seen.now > turnsNow
      return Effect.as(
        Effect.ensuring(
          Effect.repeat(Effect.yieldNow, { times: 5 }),
          Effect.sync(() => {
            seen.now -= 1
            if (isTurn) turnsNow -= 1
          })
        ),
        "ok"
      )
    })
  return { seen, answer }
}

describe("the limit on what goes on at once", () => {
  it.live("counts turns of scenarios and plain cells alike", () =>
    Effect.gen(function* () {
      const { answer, seen } = counting()
      const counts = yield* play(yield* folderOf({ concurrency: 2 }), answer)
      assert.strictEqual(counts.finished, 6)
      assert.deepStrictEqual([seen.turns, seen.plain, seen.most], [9, 3, 2])
      assert.isTrue(seen.together)
    }).pipe(Effect.scoped)
  )

  it.live("does not count a turn that waits to be tried again", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const answer: TargetRun<never> = ({ prompt }, { contestant }) =>
        Effect.suspend(() => {
          if (prompt === "plain") return Effect.succeed("ok")
          const isFirst = order.length === 0
          order.push(isFirst ? `${contestant} failed` : contestant)
          return isFirst
            ? Effect.fail(GenerationErrors.make({ reason: "server", detail: "later", retryAfterMs: 200 }))
            : Effect.succeed("ok")
        })
      const folder = yield* folderOf({ concurrency: 1, retries: 1 })
      const counts = yield* play(folder, answer, ["t", "u"])
      assert.deepStrictEqual([counts.finished, counts.errored], [12, 0])
      // There is one slot, and the other contestant has it meanwhile.
      assert.deepStrictEqual(order.slice(0, 2), ["t failed", "u"])
      assert.strictEqual(order.filter((name) => name === "t").length, 9)
    }).pipe(Effect.scoped)
  )
})
