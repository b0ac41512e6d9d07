import * as Command from "effect/cli/Command"
import { json, off, runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = { ...runOfProject, undo: off("undo", "List it again"), json }

export type ArchiveInput = Command.Command.Config.Infer<typeof flags>

export const archive = Command.make("archive", flags, (input) =>
  lazily(
    () => import("../actions/archive.ts"),
    ({ archiveRun }) => archiveRun(input)
  )
).pipe(Command.withDescription("Leave a run out of listings, or list it again; it keeps all it has"))
