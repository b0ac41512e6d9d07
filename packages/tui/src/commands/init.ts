import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { json, off, optionalString } from "./flags.ts"
import { lazily } from "./lazily.ts"

export const init = Command.make(
  "init",
  {
    path: Argument.String("path").pipe(Argument.withDescription("Folder to create or to fill")),
    name: optionalString("name", "NAME", "Name of the project; the folder's name by default"),
    force: off("force", "Write into a folder that is not empty; files of the same name are replaced"),
    json
  },
  (input) =>
    lazily(
      () => import("../actions/init.ts"),
      ({ initProject }) => initProject(input)
    )
).pipe(
  Command.withDescription("Create a project folder that runs at once, to edit into your own"),
  Command.withExamples([{ command: "arena init my-task && arena run my-task" }])
)
