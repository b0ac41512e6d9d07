import * as Command from "effect/cli/Command"
import { json, optionalList, optionalString, runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...runOfProject,
  label: optionalString("label", "TEXT", "A name for the run, shown in listings; an empty text takes it away"),
  notes: optionalString("notes", "TEXT", "What should be remembered of it; an empty text takes them away"),
  tags: optionalList("tags", "Its tags, in place of those it has; an empty text takes them away"),
  json
}

export type LabelInput = Command.Command.Config.Infer<typeof flags>

export const label = Command.make("label", flags, (input) =>
  lazily(
    () => import("../actions/label.ts"),
    ({ labelRun }) => labelRun(input)
  )
).pipe(
  Command.withDescription("Give a run a label, notes or tags"),
  Command.withExamples([{ command: 'arena label my-task latest --label "before the new prompt"' }])
)
