import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"

/** Files by relative path: their contents, or contents with a mode. */
export type Files = Readonly<Record<string, string | Uint8Array | { readonly contents: string; readonly mode: number }>>

/** A folder with the given files, removed with the scope. */
export const make = (files: Files = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const root = await fs.mkdtemp(path.join(os.tmpdir(), "arena-connectors-"))
      for (const [name, file] of Object.entries(files)) {
        const target = path.join(root, name)
        await fs.mkdir(path.dirname(target), { recursive: true })
        await fs.writeFile(target, typeof file === "string" || file instanceof Uint8Array ? file : file.contents)
        if (typeof file === "object" && "mode" in file) await fs.chmod(target, file.mode)
      }
      return root
    }),
    (root) => Effect.promise(() => fs.rm(root, { recursive: true, force: true }))
  )
