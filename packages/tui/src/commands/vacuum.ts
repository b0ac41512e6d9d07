import * as Command from "effect/cli/Command"
import { json, off, placeFlags, projectFlags, yes } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  ...placeFlags,
  dryRun: off("dry-run", "Show what would be deleted; delete nothing"),
  yes,
  json
}

export type VacuumInput = Command.Command.Config.Infer<typeof flags>

export const vacuum = Command.make("vacuum", flags, (input) =>
  lazily(
    () => import("../actions/vacuum.ts"),
    ({ vacuumStore }) => vacuumStore(input)
  )
).pipe(
  Command.withDescription("Delete all removed runs for good and give their room back to the disk; asks first"),
  Command.withShortDescription("Delete removed runs for good and shrink the database")
)
