import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { runFileName } from "@agent-arena/core/domain/RunFileName"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { coreArena } from "../app/arena/CoreArena.ts"
import type { Stoppable } from "../app/main.tsx"
import { projectPath } from "../commands/flags.ts"
import type { TuiInput } from "../commands/tui.ts"
import { ExitStatus } from "../process/Failure.ts"
import { Shutdown } from "../process/Shutdown.ts"
import { engine } from "./engine.ts"
import { askToStop } from "./run/askToStop.ts"
import { overridesOf } from "./run/overrides.ts"
import { writeReportFiles } from "./run/reportFiles.ts"
import { reportSource } from "./run/reportSource.ts"
import { takeWish } from "./run/stopRequest.ts"
import { storedReport } from "./storedReport.ts"

/** Writes the files of a stored run and names their folder. */
const writeReports = Effect.fnUntraced(function* (project: Project, store: ResultStore["Service"], run: RunRecord) {
  const path = yield* Path.Path
  const source = yield* reportSource(project, yield* storedReport(store, run), store)
  yield* writeReportFiles(project.output.dir, project.output.formats, source)
  return path.join(project.output.dir, runFileName(run.runId))
})

/** The same, and says when something broke that nobody handles. Read when it is needed: a run may begin later. */
const told = (stoppable: Stoppable, failed: () => void): Stoppable => ({
  stop: stoppable.stop,
  stopNow: stoppable.stopNow,
  get termDrainMs() {
    return stoppable.termDrainMs
  },
  fail: (message) =>
    Effect.suspend(() => {
      failed()
      return stoppable.fail(message)
    })
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
      writeReports: (project, store, run) => Effect.provideContext(writeReports(project, store, run), files),
      askToStop: (store, run, now) => Effect.asVoid(askToStop(store.path, run, now)),
      takeWish
    })
    let failed = false
    // React and Ink are loaded here and nowhere on the way here.
    const { runApp } = yield* Effect.promise(() => import("../app/main.tsx"))
    const { env, stderr, stdin, stdout } = process
    const code = yield* runApp({
      arena,
      stdin,
      stdout,
      stderr,
      env,
      onSignals: (stoppable) =>
        shutdown.register(
          told(stoppable, () => {
            failed = true
          })
        ),
      ...(input.ascii ? { ascii: true } : {}),
      ...(Option.isSome(input.background) ? { background: input.background.value } : {})
    })
    // What nobody handled is told by whoever ends the process; it decides the exit code, too.
    if (code !== 0 && !failed) return yield* new ExitStatus({ code })
  }).pipe(Effect.scoped, Effect.provide(engine))
