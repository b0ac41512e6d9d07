/** Project folders with scorer files, loaded as a project is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { ModuleError } from "@agent-arena/core/project/ProjectModule"
import type { ImportModule } from "@agent-arena/core/scoring/ScorerRegistry"
import * as Effect from "effect/Effect"

/** Where `registerScorer` is, for files outside of this repository. */
export const registerModule = new URL("../../../packages/core/src/scoring/RegisterScorer.ts", import.meta.url).href

/** A project folder with these files, gone with the scope. */
export const folderOf = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = mkdtempSync(join(tmpdir(), "arena-scorers-"))
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true })
        writeFileSync(join(root, name), text)
      }
      return root
    }),
    (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  )

export const importModule: ImportModule = (file) =>
  Effect.tryPromise({
    try: () => import(/* @vite-ignore */ pathToFileURL(file).href) as Promise<Record<string, unknown>>,
    catch: (cause) => new ModuleError({ module: file, exportName: null, detail: String(cause) })
  })
