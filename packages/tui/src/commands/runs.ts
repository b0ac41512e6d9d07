import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, off, placeFlags, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  ...placeFlags,
  limit: Flag.Int("limit").pipe(Flag.withMetavar("N"), Flag.withDescription("At most so many"), Flag.withDefault(20)),
  all: off("all", "Archived and removed runs as well"),
  parts: off("parts", "Which part of a run came from when, for runs that were resumed or took results over"),
  json
}

export type RunsInput = Command.Command.Config.Infer<typeof flags>

export const runs = Command.make("runs", flags, (input) =>
  lazily(
    () => import("../actions/runs.ts"),
    ({ listRuns }) => listRuns(input)
  )
).pipe(
  Command.withShortDescription("List the runs of a project, the newest first"),
  Command.withDescription(
    "List the runs of a project, the newest first; those that ended early stand apart, with what to type next"
  )
)
