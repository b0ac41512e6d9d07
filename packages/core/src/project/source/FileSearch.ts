/** Finds files in folders and by globs: sorted, each real file once, links that go in circles followed once. */
import { glob, readdir, realpath, stat } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import * as Effect from "effect/Effect"
import { reasonOf } from "./ProjectFiles.ts"

/** More files than this are no test set: somebody named the wrong folder. */
const maxFiles = 20_000
const maxFolders = 20_000

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

class Crowd extends Error {}
class Wild extends Error {}

const walk = async (
  folder: string,
  wanted: (name: string) => boolean,
  found: Array<string>,
  visited: Set<string>
): Promise<void> => {
  const real = await realpath(folder)
  const outer = await realpath(dirname(folder))
  // A link to a folder that contains it would bring in everything again.
  if (visited.has(real) || (visited.size > 0 && `${outer}${sep}`.startsWith(`${real}${sep}`))) return
  visited.add(real)
  if (found.length > maxFiles || visited.size > maxFolders) throw new Crowd()
  for (const name of (await readdir(folder)).sort(byName)) {
    if (name.startsWith(".") || name === "node_modules") continue
    const path = join(folder, name)
    const kind = await stat(path).catch(() => null)
    if (kind?.isDirectory() === true) await walk(path, wanted, found, visited)
    else if (kind?.isFile() === true && wanted(name)) found.push(path)
  }
}

const failure = (cause: unknown): string => {
  if (cause instanceof Crowd) return `it holds more than ${maxFiles} files or folders`
  return cause instanceof Wild ? "too many braces or stars for one pattern" : reasonOf(cause)
}

/** All files under a folder whose name is wanted, in the order of their paths; hidden ones are left out. */
export const filesUnder = (
  folder: string,
  wanted: (name: string) => boolean
): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.tryPromise({
    try: async () => {
      const found: Array<string> = []
      await walk(folder, wanted, found, new Set())
      return found
    },
    catch: failure
  })

/** The names in a folder, sorted. */
export const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.tryPromise({ try: async () => (await readdir(folder)).sort(byName), catch: reasonOf })

/** Whether a path is meant as a pattern. */
export const isGlob = (path: string): boolean => /[*?[\]{}]/.test(path)

/** Braces and stars multiply: a few lines of them could be expanded for ever. */
const isReasonable = (pattern: string): boolean =>
  pattern.length <= 1000 &&
  pattern.split("{").length <= 5 &&
  pattern.split("**").length <= 5 &&
  !/\{[^}]*\.\./.test(pattern)

/** Absolute paths that match a pattern, sorted. */
export const matching = (pattern: string, folder: string): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.tryPromise({
    try: async () => {
      if (!isReasonable(pattern)) throw new Wild()
      const found: Array<string> = []
      for await (const path of glob(pattern, { cwd: folder, exclude: (name) => name === "node_modules" })) {
        found.push(join(folder, path))
        if (found.length > maxFiles) throw new Crowd()
      }
      return found.sort(byName)
    },
    catch: failure
  })

/** The path without links, so that one file is read once. */
export const realPath = (path: string): Effect.Effect<string, string> =>
  Effect.tryPromise({ try: () => realpath(path), catch: reasonOf })
