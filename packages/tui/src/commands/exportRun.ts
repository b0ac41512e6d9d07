import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, optionalString, placeFlags, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  ...placeFlags,
  run: Flag.String("run").pipe(
    Flag.withMetavar("RUN|latest"),
    Flag.withDescription("Which run; the latest by default"),
    Flag.withDefault("latest")
  ),
  format: Flag.Literals("format", ["rows", "json", "csv", "markdown", "html", "junit", "run"]).pipe(
    Flag.withAlias("f"),
    Flag.withDescription(
      "rows = a line of JSON for each contestant, run = the whole run for arena import, the others as in report"
    ),
    Flag.withDefault("json")
  ),
  out: optionalString("out", "FILE", "Write it into a file, not to stdout").pipe(Flag.withAlias("o")),
  json
}

export type ExportInput = Command.Command.Config.Infer<typeof flags>

export const exportRun = Command.make("export", flags, (input) =>
  lazily(
    () => import("../actions/exportRun.ts"),
    ({ exportStored }) => exportStored(input)
  )
).pipe(
  Command.withDescription("Write a run for other programs, or whole for another store"),
  Command.withExamples([
    { command: "arena export my-task --format rows >> leaderboard.jsonl" },
    { command: "arena export my-task --run latest --format run --out run.jsonl" }
  ])
)
