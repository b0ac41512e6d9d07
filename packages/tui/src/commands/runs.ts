import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, off, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  limit: Flag.Int("limit").pipe(Flag.withMetavar("N"), Flag.withDescription("At most so many"), Flag.withDefault(20)),
  all: off("all", "Archived and deleted runs as well"),
  json
}

export type RunsInput = Command.Command.Config.Infer<typeof flags>

export const runs = Command.make("runs", flags, (input) =>
  lazily(
    () => import("../actions/runs.ts"),
    ({ listRuns }) => listRuns(input)
  )
).pipe(Command.withDescription("List the runs of a project, the newest first"))
