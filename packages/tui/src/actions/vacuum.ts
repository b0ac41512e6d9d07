import * as Effect from "effect/Effect"
import type { VacuumInput } from "../commands/vacuum.ts"
import { confirm } from "./confirmation.ts"
import { engine } from "./engine.ts"
import { writeStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { describe, planToJson, removeFolders, sizeText, withFolders } from "./removal.ts"
import { tell } from "./theRun.ts"

/** `arena vacuum`. A database without removed runs is shrunk without a question: nothing is lost by it. */
export const vacuumStore = (input: VacuumInput) =>
  Effect.gen(function* () {
    const project = yield* loadProject(input)
    const { shelf } = yield* writeStores(project)
    const plan = yield* withFolders(project, yield* shelf.vacuumPlan)
    const isEmpty = plan.removal.runs.length === 0
    const what = isEmpty ? "no removed runs to delete" : describe(plan)
    if (input.dryRun) {
      const text = isEmpty ? what : `would delete ${what} for good`
      return yield* tell(input.json, text, { action: "none", ...planToJson(plan) })
    }
    if (!isEmpty) {
      const otherwise = "arena runs --all lists removed runs, arena restore brings them back"
      yield* confirm({ ...input, what: `this deletes ${what} for good`, ask: "Delete?", otherwise })
    }
    const bytes = yield* shelf.vacuum(plan.removal)
    yield* removeFolders(plan)
    const size = `the database has ${sizeText(bytes)}, before ${sizeText(plan.removal.bytes)}`
    const text = `${isEmpty ? what : `deleted ${what}`}; ${size}`
    yield* tell(input.json, text, { action: "deleted", ...planToJson(plan), database_bytes_after: bytes })
  }).pipe(Effect.scoped, Effect.provide(engine))
