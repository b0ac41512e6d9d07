import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "./lazily.ts"

export const schema = Command.make(
  "schema",
  {
    file: Argument.Literals("file", ["config", "tests", "scenario"]).pipe(
      Argument.withDescription("config = config.yaml, tests = files of cases, scenario = files of scenarios/")
    )
  },
  ({ file }) =>
    lazily(
      () => import("../actions/schema.ts"),
      ({ printSchema }) => printSchema(file)
    )
).pipe(
  Command.withDescription("Print the JSON Schema of a project file, for editors that complete and check"),
  Command.withExamples([{ command: "arena schema config > config.schema.json" }])
)
