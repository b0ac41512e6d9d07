import * as Command from "effect/cli/Command"
import { json, runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = { ...runOfProject, json }

export type RestoreInput = Command.Command.Config.Infer<typeof flags>

export const restore = Command.make("restore", flags, (input) =>
  lazily(
    () => import("../actions/restore.ts"),
    ({ restoreRun }) => restoreRun(input)
  )
).pipe(Command.withDescription("Bring back a removed run; latest means the one that was removed last"))
