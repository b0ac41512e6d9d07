/** The files in which a project keeps its scorers. */
import { readdir, stat } from "node:fs/promises"
import { basename, extname, join } from "node:path"
import * as Effect from "effect/Effect"
import { isScorerModule } from "../domain/ModuleFile.ts"

/** More files than this are no scorers: somebody named the wrong folder. */
const maxFiles = 500

/** Name of a file without its extension, the default name of its scorer. */
export const stemOf = (file: string): string => basename(file, extname(file))

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const walk = async (folder: string, found: Array<string>): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => byName(a.name, b.name))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules" && !/^[_.]/.test(entry.name)) await walk(path, found)
    } else if (isScorerModule(entry.name)) found.push(path)
    if (found.length > maxFiles) throw new Error(`it holds more than ${maxFiles} files`)
  }
}

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  if (code === "ENOENT") return "there is no such file or folder"
  return cause instanceof Error ? cause.message : String(cause)
}

/**
 * Absolute paths of the scorer files at a path: the file itself, or everything in a folder, sorted; names that begin
 * with `_` or `.`, declarations and tests are left out. Fails with the reason.
 */
export const scorerFilesAt = (path: string): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.tryPromise({
    try: async () => {
      if (!(await stat(path)).isDirectory()) return [path]
      const found: Array<string> = []
      await walk(path, found)
      return found
    },
    catch: reasonOf
  })
