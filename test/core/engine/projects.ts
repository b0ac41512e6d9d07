import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"

/** A project folder in a temporary place, removed with the test's scope. */
export const projectFolder = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-project-"))
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** Loads a project from a config object and its cases (default: `cases` cases t1, t2, … with the reference "yes"). */
export const loadProject = Effect.fnUntraced(function* (
  config: Readonly<Record<string, unknown>>,
  cases: number | ReadonlyArray<unknown> = 1,
  files: Readonly<Record<string, string>> = {}
) {
  const tests =
    typeof cases === "number"
      ? Array.from({ length: cases }, (_, index) => ({ id: `t${index + 1}`, input: "say yes", expected: "yes" }))
      : cases
  const folder = yield* projectFolder({
    "config.json": JSON.stringify({ project: "test", ...config }),
    "tests.json": JSON.stringify(tests),
    ...files
  })
  return yield* Project.load(folder)
})

/** A scripted model: one entry an attempt, the last one repeating. */
export const scripted = (
  key: string,
  script: ReadonlyArray<unknown>,
  more: Readonly<Record<string, unknown>> = {}
) => ({
  key,
  model: `mock:${key}`,
  params: { mode: "script", script, ...more }
})
