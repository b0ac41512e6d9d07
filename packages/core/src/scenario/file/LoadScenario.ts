/** Loads scenario files. Nothing of them is executed. */
import { dirname, extname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { ProjectError, type ProjectIssue } from "../../domain/ProjectError.ts"
import { configNames } from "../../project/LocateProject.ts"
import { IssueLog } from "../../project/source/IssueLog.ts"
import * as JsonTree from "../../project/source/JsonTree.ts"
import * as ProjectFiles from "../../project/source/ProjectFiles.ts"
import type { SourceTree } from "../../project/source/SourceTree.ts"
import * as YamlTree from "../../project/source/YamlTree.ts"
import type { LocatedScenario } from "../model/Scenario.ts"
import { readScenario } from "./ReadScenario.ts"

/** Scenario files are written by people: larger ones are mistakes. */
const sizeLimit = 2 * 1024 * 1024

/** A YAML or JSON document with places; what is wrong goes to the log. */
export const readTree = Effect.fnUntraced(function* (path: string, shown: string, log: IssueLog) {
  const source = yield* Effect.result(ProjectFiles.readText(path, shown, sizeLimit))
  if (source._tag === "Failure") {
    log.error(source.failure.position, source.failure.message, source.failure.suggestion)
    return null
  }
  const isJson = extname(path).toLowerCase() === ".json"
  const tree = isJson ? JsonTree.make(source.success) : YamlTree.make(source.success)
  const problems = "value" in tree ? tree.problems : tree
  for (const { message, position, suggestion } of problems) log.error(position, message, suggestion)
  return "value" in tree ? (tree satisfies SourceTree) : null
})

/** Reads one scenario file; what is wrong goes to the log. */
export const readScenarioFile = Effect.fnUntraced(function* (path: string, shown: string, log: IssueLog) {
  const tree = yield* readTree(path, shown, log)
  return tree === null ? null : readScenario(tree, log)
})

/** A scenario file that is sound. */
export interface LoadedScenario extends LocatedScenario {
  /** Absolute path. */
  readonly file: string
  /** Folder that functions and scorers are looked up in. */
  readonly root: string
  readonly warnings: ReadonlyArray<ProjectIssue>
}

/** The project that a file belongs to: the nearest folder above it with a config, else its own folder. */
const rootOf = Effect.fnUntraced(function* (file: string) {
  const own = dirname(file)
  for (let folder = own; ; folder = dirname(folder)) {
    for (const name of configNames) {
      const kind = yield* Effect.orElseSucceed(ProjectFiles.kindOf(join(folder, name)), () => null)
      if (kind === "file") return folder
    }
    if (dirname(folder) === folder) return own
  }
})

/** Fails with everything in the log that is an error. */
export const failIfWrong = (log: IssueLog): Effect.Effect<void, ProjectError> => {
  const [first, ...rest] = log.errors
  return first === undefined ? Effect.void : Effect.fail(new ProjectError({ issues: [first, ...rest] }))
}

/** Loads a scenario file. Fails with everything that is wrong with it, with places. */
export const loadScenarioFile = Effect.fn("loadScenarioFile")(function* (path: string) {
  const log = new IssueLog()
  const file = resolve(path)
  const located = yield* readScenarioFile(file, path, log)
  yield* failIfWrong(log)
  if (located === null) {
    const position = { file: path, line: null, column: null }
    return yield* new ProjectError({ issues: [{ position, message: "it holds no scenario", suggestion: null }] })
  }
  return { ...located, file, root: yield* rootOf(file), warnings: log.warnings } satisfies LoadedScenario
})
