import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, optionalString, placeFlags, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  ...placeFlags,
  run: optionalString("run", "RUN|latest", "Which run; the latest by default").pipe(Flag.withAlias("run-id")),
  format: Flag.Literals("format", ["table", "markdown", "json", "csv", "html", "junit"]).pipe(
    Flag.withAlias("f"),
    Flag.withDescription("How to write it"),
    Flag.withDefault("table")
  ),
  json
}

export type ReportInput = Command.Command.Config.Infer<typeof flags>

export const report = Command.make("report", flags, (input) =>
  lazily(
    () => import("../actions/report.ts"),
    ({ printReport }) => printReport(input)
  )
).pipe(Command.withDescription("Show the report of a run again, from what is stored"))
