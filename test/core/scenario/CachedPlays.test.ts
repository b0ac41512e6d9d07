/** A scenario whose turns are not asked now: neither its origin nor its latency is made up. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Arena, Project } from "@agent-arena/core"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const scenario = (second: string) => `
scenario: pressed
entry: ask
nodes:
  ask: { prompt: "Which city?", verify: { contains: ok } }
  press: { prompt: "${second}", verify: { contains: ok } }
edges: [{ from: ask, to: press }]
outcomes: { firm: { all_turns: { verify_result: true } } }
score: firm
`

const projectFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "arena-cached-plays-"))
    mkdirSync(join(folder, "scenarios"))
    const model = { key: "a", model: "mock:a", params: { mode: "fixed", text: "ok" } }
    writeFileSync(join(folder, "config.json"), JSON.stringify({ project: "p", models: [model], run: { cache: true } }))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Plays it once; what is in the cache answers. */
const play = (folder: string, second: string) =>
  Effect.gen(function* () {
    writeFileSync(join(folder, "scenarios", "pressed.yaml"), scenario(second))
    const project = yield* Project.load(folder)
    const handle = yield* Arena.start(project)
    const { run } = yield* handle.result
    const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
    const [result]: ReadonlyArray<CallResult> = yield* Stream.runCollect(store.results(run.runId))
    const origins = result?.steps.map(({ answeredFrom }) => answeredFrom ?? "live")
    return { whole: result?.answeredFrom ?? "live", origins, timed: result?.latencyMs !== null, score: result?.score }
  }).pipe(Effect.scoped, Effect.provide(Arena.layer))

describe("a scenario under the response cache", () => {
  it.live("is from the cache when all its turns are, and has a latency when none is", () =>
    Effect.gen(function* () {
      const folder = yield* projectFolder
      const asked = yield* play(folder, "Sure?")
      assert.deepStrictEqual(asked, { whole: "live", origins: ["live", "live"], timed: true, score: 1 })
      const again = yield* play(folder, "Sure?")
      assert.deepStrictEqual(again, { whole: "cache", origins: ["cache", "cache"], timed: false, score: 1 })
      const half = yield* play(folder, "Really?")
      assert.deepStrictEqual(half, { whole: "live", origins: ["cache", "live"], timed: false, score: 1 })
    })
  )
})
