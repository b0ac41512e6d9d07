import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"

/** A folder with the given files that disappears with the scope of the test. */
export const temporaryFolder = (files: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "arena-connector-")))
      for (const [name, content] of Object.entries(files)) writeIn(folder, name, content)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

export const writeIn = (folder: string, name: string, content: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}

/** Hard links are files of their own to Node: modules loaded from them are another copy of the package. */
const linkModules = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkModules(source, target)
    else if (entry.name.endsWith(".js")) {
      try {
        linkSync(source, target)
      } catch {
        copyFileSync(source, target)
      }
    }
  }
}

/** Puts a second copy of the package `effect` into a folder. */
export const installEffectCopy = (folder: string): void => {
  const manifest = createRequire(import.meta.url).resolve("effect/package.json")
  const copy = join(folder, "node_modules", "effect")
  linkModules(join(dirname(manifest), "dist"), join(copy, "dist"))
  copyFileSync(manifest, join(copy, "package.json"))
}
