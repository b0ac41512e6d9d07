import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { off, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"
import { overrideFlags } from "./run.ts"

const flags = {
  ...projectFlags,
  ...overrideFlags,
  ascii: off("ascii", "Draw with ASCII only; decided from the locale otherwise"),
  background: Flag.Literals("background", ["dark", "light"]).pipe(
    Flag.withDescription("Of your terminal; guessed otherwise"),
    Flag.optional
  )
}

export type TuiInput = Command.Command.Config.Infer<typeof flags>

export const tui = Command.make("tui", flags, (input) =>
  lazily(
    () => import("../actions/tui.ts"),
    ({ showTui }) => showTui(input)
  )
).pipe(
  Command.withDescription("Start, watch and read runs on a live screen, with the keyboard alone"),
  Command.withExamples([{ command: "arena tui projects/quickstart" }])
)
