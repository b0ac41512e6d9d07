import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { coreArena } from "../app/arena/CoreArena.ts"
import { projectPath } from "../commands/flags.ts"
import type { TuiInput } from "../commands/tui.ts"
import { ExitStatus } from "../process/Failure.ts"
import { Shutdown } from "../process/Shutdown.ts"
import { engine } from "./engine.ts"
import { overridesOf } from "./run/overrides.ts"
import { writeReportFiles } from "./run/reportFiles.ts"
import { storedReport } from "./storedReport.ts"

/** Writes the files of a stored run and names their folder. */
const writeReports = Effect.fnUntraced(function* (project: Project, store: ResultStore["Service"], run: RunRecord) {
  const path = yield* Path.Path
  const report = yield* storedReport(store, run)
  const generatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  yield* writeReportFiles(project.output.dir, project.output.formats, { report, store, generatedAt, reproduce: null })
  return path.join(project.output.dir, run.runId)
})

/** `arena tui`. */
export const showTui = (input: TuiInput) =>
  Effect.gen(function* () {
    const path = yield* projectPath(input)
    const shutdown = yield* Shutdown
    const files = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const arena = yield* coreArena({
      path,
      overrides: overridesOf(input),
      writeReports: (project, store, run) => Effect.provideContext(writeReports(project, store, run), files)
    })
    // React and Ink are loaded here and nowhere on the way here.
    const { runApp } = yield* Effect.promise(() => import("../app/main.tsx"))
    const { env, stderr, stdin, stdout } = process
    const code = yield* runApp({
      arena,
      stdin,
      stdout,
      stderr,
      env,
      onSignals: shutdown.register,
      ...(input.ascii ? { ascii: true } : {}),
      ...(Option.isSome(input.background) ? { background: input.background.value } : {})
    })
    if (code !== 0) return yield* new ExitStatus({ code })
  }).pipe(Effect.scoped, Effect.provide(engine))
