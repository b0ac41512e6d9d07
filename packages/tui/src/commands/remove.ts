import * as Command from "effect/cli/Command"
import { json, off, runOfProject, yes } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...runOfProject,
  hard: off("hard", "Delete it for good, with its report files; asks first"),
  dryRun: off("dry-run", "Show what would be removed; remove nothing"),
  yes,
  json
}

export type RemoveInput = Command.Command.Config.Infer<typeof flags>

export const remove = Command.make("rm", flags, (input) =>
  lazily(
    () => import("../actions/remove.ts"),
    ({ removeRun }) => removeRun(input)
  )
).pipe(
  Command.withDescription(
    "Remove a run. It is hidden and can be brought back with arena restore until arena vacuum; with --hard it is deleted at once."
  ),
  Command.withShortDescription("Remove a run; arena restore brings it back")
)
