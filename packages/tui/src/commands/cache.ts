import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, off, optionalString, projectFlags, yes } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  dir: optionalString("dir", "DIR", "Folder of the cache; that of the project by default"),
  json
}

const removalFlags = { ...flags, dryRun: off("dry-run", "Show what would be deleted; delete nothing"), yes }

const listFlags = {
  ...flags,
  limit: Flag.Int("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Show at most so many, the newest first"),
    Flag.withDefault(20)
  )
}

const pruneFlags = {
  ...removalFlags,
  olderThan: Flag.Finite("older-than").pipe(
    Flag.withMetavar("DAYS"),
    Flag.withDescription("Delete answers older than this"),
    Flag.withDefault(30)
  )
}

export type CacheInput = Command.Command.Config.Infer<typeof flags>
export type CacheListInput = Command.Command.Config.Infer<typeof listFlags>
export type CacheRemovalInput = Command.Command.Config.Infer<typeof removalFlags>

const actions = () => import("../actions/cache.ts")

const ls = Command.make("ls", listFlags, (input) => lazily(actions, ({ listCache }) => listCache(input))).pipe(
  Command.withDescription("List the answers that are kept")
)

const prune = Command.make("prune", pruneFlags, (input) =>
  lazily(actions, ({ removeFromCache }) => removeFromCache(input, input.olderThan))
).pipe(Command.withDescription("Delete old answers; asks first"))

const clear = Command.make("clear", removalFlags, (input) =>
  lazily(actions, ({ removeFromCache }) => removeFromCache(input, null))
).pipe(Command.withDescription("Delete all answers; asks first"))

export const cache = Command.make("cache").pipe(
  Command.withDescription("Look after the response cache (run.cache)"),
  Command.withSubcommands([ls, prune, clear])
)
