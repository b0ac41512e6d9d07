import * as Command from "effect/cli/Command"
import { runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"
import { executionFlags, keepErrors, overrideFlags } from "./run.ts"

const flags = { ...runOfProject, ...overrideFlags, ...executionFlags, keepErrors }

export type ResumeInput = Command.Command.Config.Infer<typeof flags>

export const resume = Command.make("resume", flags, (input) =>
  lazily(
    () => import("../actions/resume.ts"),
    ({ resumeRun }) => resumeRun(input)
  )
).pipe(
  Command.withDescription(
    "Go on with a run that ended early, by default the newest such run. Only cells that are missing, interrupted or changed are asked, and those that failed unless --keep-errors. Nothing is asked for a run that is complete."
  ),
  Command.withShortDescription("Go on with a run that ended early"),
  Command.withExamples([
    { command: "arena resume projects/quickstart" },
    { command: "arena resume my-task run_20260101_120000_0a1b2c --max-run-usd 5" }
  ])
)
