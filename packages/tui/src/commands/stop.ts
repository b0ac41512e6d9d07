import * as Command from "effect/cli/Command"
import { json, off, runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...runOfProject,
  now: off("now", "Interrupt the calls in flight instead of letting them finish"),
  noWait: off("no-wait", "Do not wait until it has ended"),
  json
}

export type StopInput = Command.Command.Config.Infer<typeof flags>

export const stop = Command.make("stop", flags, (input) =>
  lazily(
    () => import("../actions/stop.ts"),
    ({ stopRun }) => stopRun(input)
  )
).pipe(
  Command.withDescription(
    "Stop a run that another terminal executes, by default the one that goes on. Calls in flight finish and count; the run ends as partial and can be resumed."
  ),
  Command.withShortDescription("Stop a run that another terminal executes"),
  Command.withExamples([{ command: "arena stop my-task" }, { command: "arena stop my-task latest --now" }])
)
