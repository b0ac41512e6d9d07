/** Tells when something in a project's folder was saved. */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** Folders that hold no sources of a project, or too much. */
const ignored = (name: string): boolean => name.startsWith(".") || name === "node_modules" || name === "results"

/** The folder and those directly in it; deeper ones are rare, and `R` reads the project by hand. */
const foldersOf = (root: string): ReadonlyArray<string> => {
  try {
    const inside = readdirSync(root, { withFileTypes: true })
    return [
      root,
      ...inside.filter((entry) => entry.isDirectory() && !ignored(entry.name)).map(({ name }) => join(root, name))
    ]
  } catch {
    return []
  }
}

/** Databases, reports and what editors leave behind are no sources. */
const isSource = (name: string | null): boolean =>
  name !== null && !ignored(name) && !/\.db|\.sqlite|~$|\.tmp$|\.swp$/.test(name)

/** A folder that cannot be watched is left out: then the project is read again by hand only. */
const watchFolder = (folder: string, changed: () => void): FSWatcher | null => {
  try {
    const watcher = watch(folder, (_, name) => {
      if (isSource(name)) changed()
    })
    watcher.on("error", () => watcher.close())
    return watcher
  } catch {
    return null
  }
}

/** The folder of the project, and which one it is: a folder that was made anew under the same name is another one. */
const look = (path: string): { readonly folder: string; readonly identity: string } => {
  const of = (folder: string) => {
    const found = statSync(folder, { throwIfNoEntry: false })
    return {
      folder,
      isFile: found?.isFile() === true,
      identity: found === undefined ? "" : `${found.dev} ${found.ino} ${found.birthtimeMs}`
    }
  }
  try {
    const found = of(path)
    return found.isFile ? of(dirname(path)) : found
  } catch {
    return { folder: path, identity: "" }
  }
}

/** A folder that was deleted or moved away tells nothing any more: how often it is looked for, ms. */
const lookMs = 1000

/**
 * One element for each burst of changes, of a project's folder or of its config file. A folder that goes and comes back is
 * a change as well.
 */
export const projectChanges = (path: string): Stream.Stream<void> =>
  Stream.callback<void>((queue) =>
    Effect.gen(function* () {
      const absolute = resolve(path)
      const changed = () => Queue.offerUnsafe(queue, undefined)
      let watchers: ReadonlyArray<FSWatcher | null> = []
      const close = (): void => {
        for (const watcher of watchers) watcher?.close()
        watchers = []
      }
      const begin = (): string => {
        const { folder, identity } = look(absolute)
        close()
        watchers = foldersOf(folder).map((one) => watchFolder(one, changed))
        return identity
      }
      let watched = yield* Effect.acquireRelease(Effect.sync(begin), () => Effect.sync(close))
      const again = Effect.sync(() => {
        if (look(absolute).identity === watched) return
        watched = begin()
        changed()
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookMs), again)))
    })
  ).pipe(Stream.debounce("200 millis"))
