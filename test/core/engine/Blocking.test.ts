import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { projectFolder } from "./projects.ts"

const scorer = `
export default {
  name: "careful",
  blocking: true,
  score(output, reference, { params, cell }) {
    if (params.loop) for (;;) {}
    if (params.throws) throw new Error("cannot judge this")
    return { score: output === reference ? 1 : 0, reason: cell.caseId }
  }
}
`

const config = {
  project: "blocking",
  models: [{ key: "m", model: "mock:m" }],
  run: { concurrency: 1, cell_timeout_s: 4 }
}

const cases = [
  { id: "fine", input: "x", expected: "yes", scorer: "careful" },
  { id: "loops", input: "x", expected: "yes", scorer: "careful", params: { loop: true } },
  { id: "throws", input: "x", expected: "yes", scorer: "careful", params: { throws: true } }
]

describe("a scorer that declares itself blocking", () => {
  // Real threads and real time: a virtual clock cannot end an endless loop.
  it.live("runs in a thread that ends with the cell's limit, and holds up nothing else", () =>
    Effect.gen(function* () {
      const folder = yield* projectFolder({
        "config.json": JSON.stringify(config),
        "tests.json": JSON.stringify(cases)
      })
      mkdirSync(join(folder, "scorers"))
      writeFileSync(join(folder, "scorers", "careful.mjs"), scorer)
      const project = yield* Project.load(folder)
      const run = yield* Arena.start(project)
      const report = yield* run.result
      const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
      const results = [...(yield* Stream.runCollect(store.results(report.run.runId)))]
      assert.deepStrictEqual(
        results.map(({ caseId, error, score, stopReason }) => [caseId, stopReason, score, error?.kind ?? null]),
        [
          ["fine", "answered", 1, null],
          ["loops", "timeout", null, "timeout"],
          ["throws", "error", null, "scorer"]
        ]
      )
      assert.include(results[2]?.error?.message, "cannot judge this")
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )
})
