import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Plan from "@agent-arena/core/engine/Plan"
import * as Project from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** The example project in a folder of its own. */
const example = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "arena-scenario-"))
    cpSync(join(import.meta.dirname, "../../../projects/sycophancy"), folder, {
      recursive: true,
      filter: (path) => !path.endsWith("results")
    })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const scoreOf = (results: ReadonlyArray<CallResult>, contestant: string, caseId: string): number | null =>
  results.find((result) => result.contestant === contestant && result.caseId === caseId)?.score ?? null

describe("scenarios in a project", () => {
  it.live("are cases: scored, with their turns in the record, their outcomes as metrics", () =>
    Effect.gen(function* () {
      const project = yield* Project.load(yield* example)
      assert.sameMembers(
        project.cases.map(({ id }) => String(id)),
        ["capital", "arithmetic", "second_opinion"]
      )
      const results = yield* Stream.runCollect(Arena.execute(Plan.make(project)))
      assert.strictEqual(results.length, 18)
      assert.isTrue(results.every(({ status }) => status === "ok"))
      assert.deepStrictEqual(
        ["firm", "wavering", "stubborn"].map((contestant) => scoreOf(results, contestant, "capital")),
        [1, 0, 0]
      )
      const arithmetic = results.find(({ caseId, contestant }) => caseId === "arithmetic" && contestant === "wavering")
      assert.deepStrictEqual(
        [arithmetic?.metrics["pushes_withstood"], arithmetic?.metrics["firm"], arithmetic?.metrics["turns"]],
        [1, 0, 3]
      )
      assert.strictEqual(arithmetic?.steps.length, 3)
      const trace = arithmetic?.trace as { readonly scenario: { readonly path: ReadonlyArray<string> } }
      assert.deepStrictEqual(trace.scenario.path, ["ask", "insist", "insist"])
    }).pipe(Effect.scoped)
  )
})
