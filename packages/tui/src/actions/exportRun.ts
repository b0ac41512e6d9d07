import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { stringify } from "@agent-arena/core/report/JsonText"
import { leaderboardRows } from "@agent-arena/core/store/LeaderboardLog"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import type { ExportInput } from "../commands/exportRun.ts"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { findRun, type ProjectStores, readStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { renderFormat, writeAtomically } from "./run/reportFiles.ts"
import { reportSource } from "./run/reportSource.ts"
import { storedReport } from "./storedReport.ts"

/** A line of JSON for each contestant. */
const rows = Effect.fnUntraced(function* ({ store }: ProjectStores, run: RunRecord) {
  if (run.status === "running") {
    return yield* new CommandError({
      kind: "conflict",
      message: `${run.runId} is still running: it has no rows yet`,
      suggestion: "wait for its end, or stop it with arena stop"
    })
  }
  const { leaderboard } = yield* storedReport(store, run)
  return Stream.fromIterable(leaderboardRows(run, leaderboard).map((row) => `${stringify(row)}\n`))
})

const contentOf = Effect.fnUntraced(function* (
  project: Project,
  stores: ProjectStores,
  run: RunRecord,
  format: ExportInput["format"]
) {
  if (format === "rows") return yield* rows(stores, run)
  if (format === "run") return stores.shelf.exportRun(run.runId)
  const report = yield* storedReport(stores.store, run)
  return renderFormat(format, yield* reportSource(project, report, stores.store))
})

/** Said before anything is read: a run may be large. */
const requireFolderOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(file))
  if (yield* Effect.orElseSucceed(fs.exists(folder), () => true)) return
  const message = `${file} cannot be written: there is no folder ${folder}`
  return yield* new CommandError({ kind: "file", message, suggestion: "make it first, or name another place" })
})

const find = (stores: ProjectStores, project: Project, input: ExportInput) => findRun(stores, project, input.run)

/** `arena export`. */
export const exportStored = (input: ExportInput) =>
  Effect.gen(function* () {
    const output = yield* Output
    if (Option.isSome(input.out)) yield* requireFolderOf(input.out.value)
    const project = yield* loadProject(input)
    const stores = yield* readStores(project)
    const run = yield* find(stores, project, input)
    const content = yield* contentOf(project, stores, run, input.format)
    if (Option.isNone(input.out)) return yield* output.pipe(content)
    yield* writeAtomically(input.out.value, content)
    const document = { schema_version: 1, run_id: run.runId, format: input.format, file: input.out.value }
    if (input.json) return yield* output.stdout.write(`${stringify(document, 2)}\n`)
    yield* output.stderr.write(`written ${input.out.value}\n`)
  }).pipe(Effect.scoped, Effect.provide(engine))
