import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { json, optionalString } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  from: Argument.String("project").pipe(Argument.withDescription("Project folder to copy")),
  to: Argument.String("new").pipe(Argument.withDescription("Folder to create")),
  name: optionalString("name", "NAME", "Name of the new project; the folder's name by default"),
  json
}

export type DuplicateInput = Command.Command.Config.Infer<typeof flags>

export const duplicate = Command.make("duplicate", flags, (input) =>
  lazily(
    () => import("../actions/duplicate.ts"),
    ({ duplicateProject }) => duplicateProject(input)
  )
).pipe(
  Command.withDescription(
    "Copy a project folder under a new name: everything but its results, databases, caches and repositories"
  ),
  Command.withShortDescription("Copy a project folder under a new name")
)
