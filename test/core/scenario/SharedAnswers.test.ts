import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { json, loopback } from "../connector/loopback.ts"

/** A conversation that somebody else opens: the same request for every contestant. */
const opened = `scenario: opened
entry: open
nodes:
  open: { prompt: "Ask a hard question.", contestant: opener }
  reply: { prompt: "Answer it.", verify: { contains: ok } }
edges: [{ from: open, to: reply }]
outcomes: { good: { last_turn: { verify_result: true } } }
score: good
`

const folderOf = (url: string, cache: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-answers-"))
      mkdirSync(join(folder, "scenarios"))
      writeFileSync(join(folder, "scenarios", "opened.yaml"), opened)
      const config = {
        project: "p",
        models: ["a", "b", "c"].map((key) => ({ key, model: `mock:${key}`, params: { mode: "fixed", text: "ok" } })),
        targets: [{ key: "opener", url, enabled: false }],
        run: { trials: 2, concurrency: 6, retries: 0, cache }
      }
      writeFileSync(join(folder, "config.json"), JSON.stringify(config))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** Plays the scenario by three contestants, twice each; the opener's answers cost a cent. */
const run = (cache: boolean) =>
  Effect.gen(function* () {
    const server = yield* loopback((_, response) => json(response, { output: "Why?", cost_usd: 0.01 }))
    const project = yield* Project.load(yield* folderOf(server.origin, cache))
    const handle = yield* Arena.start(project)
    const { run: record } = yield* handle.result
    const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
    const results: ReadonlyArray<CallResult> = yield* Stream.runCollect(store.results(record.runId))
    assert.deepStrictEqual([record.counts.finished, record.counts.errored], [6, 0])
    assert.isTrue(results.every(({ score }) => score === 1))
    const asked = results.filter(({ steps }) => steps[0]?.answeredFrom === undefined).length
    return { calls: server.received.length, asked }
  }).pipe(Effect.scoped, Effect.provide(Arena.layer))

describe("the same request of several contestants", () => {
  it.live("is made by each of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(false), { calls: 6, asked: 6 })
    })
  )

  it.live("is made once a trial with the response cache, also when they ask at the same time", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(true), { calls: 2, asked: 2 })
    })
  )
})
