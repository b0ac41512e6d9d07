import * as Command from "effect/cli/Command"
import { json, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = { ...projectFlags, json }

export type ModelsInput = Command.Command.Config.Infer<typeof flags>

export const models = Command.make("models", flags, (input) =>
  lazily(
    () => import("../actions/models.ts"),
    ({ listModels }) => listModels(input)
  )
).pipe(
  Command.withDescription(
    "List models with their known prices and facts; with a project, what is known of its contestants"
  ),
  Command.withShortDescription("List models with their known prices and facts")
)
