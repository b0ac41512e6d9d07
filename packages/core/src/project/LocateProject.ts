import { basename, dirname, join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { ProjectIssue } from "../domain/ProjectError.ts"
import * as ProjectFiles from "./source/ProjectFiles.ts"

/** Names of the config, in the order in which they are looked for. */
export const configNames = ["config.yaml", "config.yml", "config.json", "arena.yaml", "arena.json"] as const

/** Where a project is. */
export interface ProjectPlace {
  /** Absolute folder. */
  readonly root: string
  /** Absolute path of the config. */
  readonly configFile: string
  /** How a path is shown: beginning as the user named the project. */
  readonly display: (path: string) => string
}

const issue = (file: string, message: string, suggestion: string | null = null): ProjectIssue => ({
  position: { file, line: null, column: null },
  message,
  suggestion
})

const makePlace = (root: string, configFile: string, shownRoot: string): ProjectPlace => ({
  root,
  configFile,
  display: (path) => {
    const inside = relative(root, path)
    return inside === "" ? shownRoot : inside.startsWith("..") ? path : join(shownRoot, inside)
  }
})

/** Finds the config of a project that is named by its folder or by the config itself. */
export const locateProject = Effect.fnUntraced(function* (path: string) {
  const absolute = resolve(path)
  const kind = yield* Effect.mapError(ProjectFiles.kindOf(absolute), (reason) =>
    issue(path, `cannot be opened as a project: ${reason}`, "name a project folder, or make one with: arena init")
  )
  if (kind === "file") return makePlace(dirname(absolute), absolute, dirname(path))
  if (kind === "other") return yield* Effect.fail(issue(path, "is neither a project folder nor a config file"))
  for (const name of configNames) {
    const candidate = join(absolute, name)
    const found = yield* Effect.orElseSucceed(ProjectFiles.kindOf(candidate), () => null)
    if (found === "file") return makePlace(absolute, candidate, path === "" ? "." : path)
  }
  return yield* Effect.fail(
    issue(
      path === "" ? "." : path,
      `${basename(absolute)} is not a project: it has none of ${configNames.join(", ")}`,
      `make a project with: arena init ${path}`
    )
  )
})
