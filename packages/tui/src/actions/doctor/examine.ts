import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { Contestant } from "@agent-arena/core/domain/Contestant"
import type { Project } from "@agent-arena/core/domain/Project"
import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Plan from "@agent-arena/core/engine/Plan"
import type { ContestantReadiness } from "@agent-arena/core/engine/Readiness"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { contestantsOnly, dataOnly, isJudge, isSimulated, oneCall, roster } from "./probe.ts"

/** What a real call has come to; null = it left no result. */
export type LiveCall = Pick<
  CallResult,
  "status" | "error" | "latencyMs" | "usage" | "costUsd" | "servedModel" | "finishReason"
> | null

export interface Examined extends ContestantReadiness {
  /** Absent = no call was made. */
  readonly live?: LiveCall
}

/** What was found, before it is laid out. */
export interface Examination {
  /** The enabled contestants, and last the judge if there is one. */
  readonly contestants: ReadonlyArray<Examined>
  /** What is wrong with cases, scorers and hooks. */
  readonly problems: ReadonlyArray<ProjectIssue>
  readonly warnings: ReadonlyArray<ProjectIssue>
}

const callsAtOnce = 4

const call = (project: Project, contestant: Contestant) =>
  Plan.make(oneCall(project, contestant)).pipe(
    Arena.execute,
    Stream.runHead,
    Effect.map((head): LiveCall => (head._tag === "Some" ? head.value : null)),
    Effect.catchTag("ProjectError", () => Effect.succeed(null)),
    Effect.scoped
  )

/** Cases, scorers and hooks of the project: every problem at once. */
const checkData = (project: Project) =>
  Effect.map(Effect.result(Arena.check(dataOnly(project))), (checked) =>
    checked._tag === "Success"
      ? { problems: [], warnings: checked.success.warnings }
      : { problems: checked.failure.issues, warnings: project.warnings }
  )

/** A run is refused when the spend of a contestant cannot be held to the budget. */
const unpricedUnderBudget = (
  { budgets, configFile }: Project,
  contestants: ReadonlyArray<ContestantReadiness>
): ReadonlyArray<ProjectIssue> => {
  const { allowUnpriced, maxModelUsd, maxRunUsd, onExceed } = budgets
  if (allowUnpriced || onExceed === "warn" || (maxModelUsd === null && maxRunUsd === null)) return []
  return contestants
    .filter((one) => one.priced === false && one.skipped === null && !isJudge(one))
    .map(({ key, model }) => ({
      position: { file: configFile, line: null, column: null },
      message: `"${key}" has no price, so its spend cannot be held to the budget`,
      suggestion: `add its price under pricing.models.${JSON.stringify(model)}, or set budgets.allow_unpriced: true`
    }))
}

/** Examines a project. Makes calls only with `live`. */
export const examine = Effect.fnUntraced(function* (project: Project, live: boolean) {
  const { problems, warnings } = yield* checkData(project)
  const { contestants } = yield* Arena.check(contestantsOnly(project))
  const byKey = new Map<string, Contestant>(roster(project).map((one) => [one.key, one]))
  const examined = yield* Effect.forEach(
    contestants.filter((one) => !isSimulated(one)),
    (one) => {
      const contestant = byKey.get(one.key)
      if (!live || one.skipped !== null || contestant === undefined) return Effect.succeed<Examined>(one)
      return Effect.map(call(project, contestant), (result): Examined => ({ ...one, live: result }))
    },
    { concurrency: callsAtOnce }
  )
  const unpriced = unpricedUnderBudget(project, contestants)
  return { contestants: examined, problems: [...problems, ...unpriced], warnings } satisfies Examination
})
