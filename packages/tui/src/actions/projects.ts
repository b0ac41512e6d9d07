import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { projectPath } from "../commands/flags.ts"

/** Loads the project that a command line names. */
export const loadProject = (
  input: { readonly project: Option.Option<string>; readonly projectFlag: Option.Option<string> },
  overrides: Project.ProjectOverrides = {}
) => Effect.flatMap(projectPath(input), (path) => Project.load(path, overrides))
