import * as Command from "effect/cli/Command"
import { json, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = { ...projectFlags, json }

export type ScorersInput = Command.Command.Config.Infer<typeof flags>

export const scorers = Command.make("scorers", flags, (input) =>
  lazily(
    () => import("../actions/scorers.ts"),
    ({ listScorers }) => listScorers(input)
  )
).pipe(Command.withDescription("List the scorers that cases can name; with a project, its own as well"))
