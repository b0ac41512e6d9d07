/** Tells when something in a project's folder was saved. */
import { type FSWatcher, readdirSync, watch } from "node:fs"
import { join } from "node:path"
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

/** One element for each burst of changes. */
export const projectChanges = (root: string): Stream.Stream<void> =>
  Stream.callback<void>((queue) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        foldersOf(root).map((folder) => watchFolder(folder, () => Queue.offerUnsafe(queue, undefined)))
      ),
      (watchers) =>
        Effect.sync(() => {
          for (const watcher of watchers) watcher?.close()
        })
    )
  ).pipe(Stream.debounce("200 millis"))
