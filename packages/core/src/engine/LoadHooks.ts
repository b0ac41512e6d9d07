import * as Effect from "effect/Effect"
import type { Project } from "../domain/Project.ts"
import type { ProjectIssue } from "../domain/ProjectError.ts"
import type { FunctionRef } from "../domain/Settings.ts"
import { loadFunction } from "../project/ProjectModule.ts"
import type { HookFunction, Hooks } from "./Hooks.ts"

const load = (
  root: string,
  name: string,
  ref: FunctionRef | null
): Effect.Effect<HookFunction | null, ProjectIssue> => {
  if (ref === null) return Effect.succeed(null)
  return Effect.matchEffect(loadFunction(root, ref), {
    onSuccess: ({ call }) => Effect.succeed(call),
    onFailure: (error) =>
      Effect.fail({ position: ref.position, message: `hook "${name}": ${error.message}`, suggestion: null })
  })
}

/** Loads the project's hooks; all that are unusable are reported together. */
export const loadHooks = (project: Project<unknown>): Effect.Effect<Hooks, ReadonlyArray<ProjectIssue>> =>
  Effect.gen(function* () {
    const { hooks, root } = project
    const [preRequest, postProcess, onResult] = yield* Effect.all([
      Effect.result(load(root, "pre_request", hooks.preRequest)),
      Effect.result(load(root, "post_process", hooks.postProcess)),
      Effect.result(load(root, "on_result", hooks.onResult))
    ])
    const issues = [preRequest, postProcess, onResult].flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
    if (preRequest._tag === "Failure" || postProcess._tag === "Failure" || onResult._tag === "Failure") {
      return yield* Effect.fail(issues)
    }
    return { preRequest: preRequest.success, postProcess: postProcess.success, onResult: onResult.success }
  })
