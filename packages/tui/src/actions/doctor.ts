import type { Project } from "@agent-arena/core/domain/Project"
import { stringify } from "@agent-arena/core/report/JsonText"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { DoctorInput } from "../commands/doctor.ts"
import { ExitStatus } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { examine } from "./doctor/examine.ts"
import { allWell, type DatabaseState, type Diagnosis, render, toJson } from "./doctor/render.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"

/** The path itself, or the nearest folder above it that exists: whether results can be kept depends on it. */
const nearest = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  let place = path
  while (!(yield* Effect.orElseSucceed(fs.exists(place), () => false)) && paths.dirname(place) !== place) {
    place = paths.dirname(place)
  }
  return place
})

const databaseOf = Effect.fnUntraced(function* ({ output: { db } }: Project) {
  const fs = yield* FileSystem.FileSystem
  const place = yield* nearest(db)
  const writable = yield* Effect.result(fs.access(place, { writable: true }))
  const problem = writable._tag === "Success" ? null : `${place} cannot be written; choose another place with output.db`
  return { path: db, problem } satisfies DatabaseState
})

/** `arena doctor`. */
export const examineProject = (input: DoctorInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const project = yield* loadProject(input)
    const examination = yield* examine(project, input.live)
    const diagnosis: Diagnosis = {
      ...examination,
      database: yield* databaseOf(project),
      now: yield* Clock.currentTimeMillis
    }
    yield* stdout.write(
      input.json ? `${stringify(toJson(project, diagnosis), 2)}\n` : render(project, diagnosis, stdout.style)
    )
    if (!allWell(diagnosis)) return yield* new ExitStatus({ code: 1 })
  }).pipe(Effect.provide(engine))
