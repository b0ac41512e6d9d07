import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { json, placeFlags, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  file: Argument.String("file").pipe(Argument.withDescription("What arena export --format run has written")),
  project: projectFlags.projectFlag,
  ...placeFlags,
  json
}

export type ImportInput = Command.Command.Config.Infer<typeof flags>

export const importRun = Command.make("import", flags, (input) =>
  lazily(
    () => import("../actions/importRun.ts"),
    ({ importExported }) => importExported(input)
  )
).pipe(
  Command.withDescription("Take an exported run into the database of a project, all of it or nothing"),
  Command.withExamples([{ command: "arena import run.jsonl -p my-task" }])
)
