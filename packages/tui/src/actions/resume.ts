import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { namedRun } from "../commands/flags.ts"
import type { ResumeInput } from "../commands/resume.ts"
import { CommandError } from "../process/Failure.ts"
import { engine } from "./engine.ts"
import { endedEarly } from "./nextStep.ts"
import { readStores, runsOf } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { overridesOf } from "./run/overrides.ts"
import { runProject } from "./run.ts"

/** The newest run that ended early. */
const newestUnfinished = (input: ResumeInput) =>
  Effect.gen(function* () {
    const project = yield* loadProject(input, overridesOf(input))
    const runs = yield* runsOf(yield* readStores(project), project)
    const run = runs.find(endedEarly)
    if (run !== undefined) return run.runId
    return yield* new CommandError({
      kind: "not_found",
      message: `no run of ${project.name} ended early`,
      suggestion: "arena run starts a new one"
    })
  }).pipe(Effect.scoped, Effect.provide(engine))

/** `arena resume`. */
export const resumeRun = Effect.fn("arena.resume")(function* (words: ResumeInput) {
  const input = namedRun(words)
  const run = Option.isSome(input.run) ? input.run.value : yield* newestUnfinished(input)
  yield* runProject({ ...input, resume: Option.some(run), reuse: Option.none() })
})
