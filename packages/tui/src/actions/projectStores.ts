import { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore, type StoreServices } from "@agent-arena/core/store/ResultStore"
import { RunShelf } from "@agent-arena/core/store/RunShelf"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { CommandError } from "../process/Failure.ts"
import { quoted } from "./shellWord.ts"
import { shownPath } from "./shownPath.ts"

/** Everything that works on the database of a project. */
export interface ProjectStores {
  readonly store: ResultStore["Service"]
  readonly reuse: ResultReuse["Service"]
  readonly shelf: RunShelf["Service"]
}

const build = (layer: Layer.Layer<StoreServices, StoreError>) =>
  Effect.map(
    Layer.build(layer),
    (context): ProjectStores => ({
      store: Context.get(context, ResultStore),
      reuse: Context.get(context, ResultReuse),
      shelf: Context.get(context, RunShelf)
    })
  )

/** Fails for a project that never ran: it has no database, and none is made. */
const requireDatabase = Effect.fnUntraced(function* ({ name, output: { db }, root }: Project) {
  const fs = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(fs.exists(db), () => false)) return
  return yield* new CommandError({
    kind: "not_found",
    message: `${name} has no runs yet (${db} does not exist)`,
    suggestion: `run it first with: arena run ${quoted(shownPath(root))}`
  })
})

/** Opens the database of a project for reading only. */
export const readStores = (project: Project) =>
  Effect.andThen(
    requireDatabase(project),
    Effect.andThen(ResultStore.takeInSideFiles(project.output.db), build(ResultStore.layerReadOnly(project.output.db)))
  )

/** Opens the database of a project to change its runs. */
export const writeStores = (project: Project) =>
  Effect.andThen(requireDatabase(project), build(ResultStore.layer(project.output.db)))

/** Opens the database of a project to put a run into it; it is made when there is none. */
export const makeStores = (project: Project) => build(ResultStore.layer(project.output.db))

/** Runs of the project, newest first, archived ones included. */
export const runsOf = ({ store }: ProjectStores, project: Project) =>
  store.runs({ project: project.name, includeArchived: true })

/** Finds a run of the project; `latest` is the newest that is not removed. */
export const findRun = Effect.fnUntraced(function* (
  { store }: Pick<ProjectStores, "store">,
  project: Project,
  wanted: string
) {
  const found =
    wanted === "latest"
      ? (yield* store.runs({ project: project.name, limit: 1, includeArchived: true }))[0]
      : wanted === ""
        ? null
        : yield* store.run(RunId.make(wanted))
  if (found !== undefined && found !== null && found.project === project.name) return found
  const message = wanted === "latest" ? `${project.name} has no runs` : `there is no run ${wanted} in ${project.name}`
  const listed = "arena runs lists them"
  const suggestion = wanted === "latest" ? "arena run makes one; arena runs --all lists removed ones, too" : listed
  return yield* new CommandError({ kind: "not_found", message, suggestion })
})
