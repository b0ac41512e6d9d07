import * as Command from "effect/cli/Command"
import { list, off, runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"
import { executionFlags, overrideFlags } from "./run.ts"

const flags = {
  ...runOfProject,
  ...overrideFlags,
  ...executionFlags,
  errors: off("errors", "Ask again what ended in an error or a time-out (what retry does when nothing else is said)"),
  failed: off("failed", "Ask again what did not pass"),
  cases: list("cases", "Ask again all cells of these cases, by id"),
  cells: list("cells", "Ask again these cells, as CONTESTANT/CASE/TRIAL; trials count from 1")
}

export type RetryInput = Command.Command.Config.Infer<typeof flags>

export const retry = Command.make("retry", flags, (input) =>
  lazily(
    () => import("../actions/retry.ts"),
    ({ retryRun }) => retryRun(input)
  )
).pipe(
  Command.withDescription(
    "Ask again some of what a run has answered, by default its errors. The new outcomes take the place of the old ones, which stay in the record with what they cost."
  ),
  Command.withShortDescription("Ask again what failed in a run"),
  Command.withExamples([
    { command: "arena retry my-task latest" },
    { command: "arena retry my-task latest --cases refund_3,refund_7" },
    { command: "arena retry my-task latest --cells haiku/refund_3/1" }
  ])
)
