import * as Command from "effect/cli/Command"
import { json, off, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  strict: off("strict", "Exit with 1 also when a contestant would be skipped"),
  json
}

export type ValidateInput = Command.Command.Config.Infer<typeof flags>

export const validate = Command.make("validate", flags, (input) =>
  lazily(
    () => import("../actions/validate.ts"),
    ({ validateProject }) => validateProject(input)
  )
).pipe(
  Command.withDescription("Check a project: every problem with its place, and who would run. Spends nothing."),
  Command.withShortDescription("Check a project, and who would run")
)
