import * as Command from "effect/cli/Command"
import { json, off, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  live: off("live", "Also make one very short real call to each contestant and the judge; costs next to nothing"),
  json
}

export type DoctorInput = Command.Command.Config.Infer<typeof flags>

export const doctor = Command.make("doctor", flags, (input) =>
  lazily(
    () => import("../actions/doctor.ts"),
    ({ examineProject }) => examineProject(input)
  )
).pipe(
  Command.withDescription(
    "Tell of every contestant and the judge whether it would run, what is missing and what to do about it. Exits with 1 when something is missing."
  ),
  Command.withShortDescription("Tell what would run, what is missing and what to do"),
  Command.withExamples([{ command: "arena doctor my-task" }, { command: "arena doctor my-task --live" }])
)
