/** Throw-away project folders, and what loading them says. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Project from "@agent-arena/core/project/Project"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"

export type Files = Readonly<Record<string, string | Uint8Array>>

/** A model and a case: the smallest files a project can have beside what a test is about. */
export const models = "models: [mock:a]\n"
export const cases = "- {id: one, input: hi, reference: hi}\n"

/** A folder that exists until the test is over. */
export const folder = (files: Files) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const root = await mkdtemp(join(tmpdir(), "arena-project-"))
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, name)), { recursive: true })
        await writeFile(join(root, name), content)
      }
      return root
    }),
    (root) => Effect.promise(() => rm(root, { recursive: true, force: true }))
  )

/** Loads without the settings of whoever runs the tests; `home` is the user's own config folder. */
export const loadFrom = (path: string, overrides?: Project.ProjectOverrides, home = "/nonexistent") =>
  Project.load(path, overrides).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { XDG_CONFIG_HOME: home } })))
  )

/** The project in a folder with these files; a case file is added when there is none. */
export const load = (files: Files, overrides?: Project.ProjectOverrides) =>
  Effect.flatMap(folder({ "tests.yaml": cases, ...files }), (root) => loadFrom(root, overrides))

/** What is wrong with a project, as its lines are shown, without the folder's path and the padding. */
export const problems = (files: Files, overrides?: Project.ProjectOverrides) =>
  Effect.gen(function* () {
    const root = yield* folder({ "tests.yaml": cases, ...files })
    const error = yield* Effect.flip(loadFrom(root, overrides))
    return error.message.split("\n").map((line) => line.replaceAll(`${root}/`, "").replace(/^(\S+) +/, "$1  "))
  })
