/** What is said before runs are deleted for good, and what is deleted beside the database. */
import type { Project } from "@agent-arena/core/domain/Project"
import { runFileName } from "@agent-arena/core/domain/RunFileName"
import { count, plural } from "@agent-arena/core/report/Figures"
import type { RemovalPlan } from "@agent-arena/core/store/RunRemoval"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** A removal from the database, with what goes with it: folders of reports, and of the turns of scenarios. */
export interface FullPlan {
  readonly removal: RemovalPlan
  readonly folders: ReadonlyArray<string>
  readonly workspaces: ReadonlyArray<string>
}

/** Bytes in the unit that suits them. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(0)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

const shownRuns = 10

export const describe = ({ folders, removal, workspaces }: FullPlan): string => {
  const { results, runs } = removal
  const more = runs.length > shownRuns ? ` and ${count(runs.length - shownRuns)} more` : ""
  const names = `${runs.slice(0, shownRuns).join(", ")}${more}`
  const reports = folders.length === 0 ? "" : ` and ${plural(folders.length, "folder")} of reports`
  const turns = workspaces.length === 0 ? "" : ` and ${plural(workspaces.length, "folder")} of turns`
  return `${plural(runs.length, "run")} (${names}) with ${plural(results, "result")}${reports}${turns}`
}

/** Adds the folders that exist. */
export const withFolders = Effect.fnUntraced(function* (project: Project, removal: RemovalPlan) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { dir, workspaces = path.join(dir, "workspaces") } = project.output
  const existing = (root: string) =>
    Effect.filter(
      removal.runs.map((id) => path.join(root, runFileName(id))),
      (folder) => Effect.orElseSucceed(fs.exists(folder), () => false)
    )
  const plan: FullPlan = { removal, folders: yield* existing(dir), workspaces: yield* existing(workspaces) }
  return plan
})

export const removeFolders = Effect.fnUntraced(function* ({ folders, workspaces }: FullPlan) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.forEach([...folders, ...workspaces], (folder) => fs.remove(folder, { recursive: true, force: true }), {
    discard: true
  })
})

export const planToJson = ({ folders, removal, workspaces }: FullPlan) => ({
  run_ids: removal.runs,
  results: removal.results,
  report_folders: folders,
  workspace_folders: workspaces,
  database_bytes: removal.bytes
})
