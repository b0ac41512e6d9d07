import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type NamedProject, projectPath } from "../commands/flags.ts"

/** Where the command line says that runs and their files are. */
const placesOf = ({ db = Option.none(), outputDir = Option.none() }: NamedProject): Project.ProjectOverrides => ({
  ...(Option.isSome(outputDir) ? { outputDir: outputDir.value } : {}),
  ...(Option.isSome(db) ? { db: db.value } : {})
})

/** Loads the project that a command line names, with its runs where the command line says. */
export const loadProject = (input: NamedProject, overrides: Project.ProjectOverrides = {}) =>
  Effect.flatMap(projectPath(input), (path) => Project.load(path, { ...placesOf(input), ...overrides }))
