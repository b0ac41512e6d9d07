import { plural } from "@agent-arena/core/report/Figures"
import * as Effect from "effect/Effect"
import type { RemoveInput } from "../commands/remove.ts"
import { CommandError } from "../process/Failure.ts"
import { confirm } from "./confirmation.ts"
import { engine } from "./engine.ts"
import { describe, type FullPlan, planToJson, removeFolders, withFolders } from "./removal.ts"
import { type TheRun, tell, theRun } from "./theRun.ts"

/** Hides the run; nothing is lost. */
const hide = Effect.fnUntraced(function* ({ command, run, stores }: TheRun, plan: FullPlan, json: boolean) {
  yield* stores.shelf.remove(run.runId)
  const text = `removed ${run.runId} (${plural(plan.removal.results, "result")}). Undo: ${command("restore")}; arena vacuum makes it final`
  yield* tell(json, text, { action: "removed", ...planToJson(plan) })
})

const erase = Effect.fnUntraced(function* ({ run, stores }: TheRun, plan: FullPlan, { json, yes }: RemoveInput) {
  const otherwise = "without --hard the run is only hidden"
  yield* confirm({ what: `this deletes ${describe(plan)} for good`, ask: "Delete?", otherwise, yes, json })
  yield* stores.shelf.purge(run.runId)
  yield* removeFolders(plan)
  yield* tell(json, `deleted ${describe(plan)}`, { action: "deleted", ...planToJson(plan) })
})

/** `arena rm`. */
export const removeRun = (input: RemoveInput) =>
  Effect.gen(function* () {
    const found = yield* theRun(input)
    const { project, run, stores } = found
    if (run.status === "running") {
      return yield* new CommandError({
        kind: "conflict",
        message: `${run.runId} is still running`,
        suggestion: `stop it first: ${found.command("stop")}`
      })
    }
    const plan = yield* withFolders(project, yield* stores.shelf.purgePlan(run.runId))
    if (input.dryRun) {
      const what = input.hard ? `would delete ${describe(plan)} for good` : `would hide ${run.runId}`
      return yield* tell(input.json, what, { action: "none", ...planToJson(plan) })
    }
    yield* input.hard ? erase(found, plan, input) : hide(found, plan, input.json)
  }).pipe(Effect.scoped, Effect.provide(engine))
