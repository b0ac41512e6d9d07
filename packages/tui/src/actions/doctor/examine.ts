import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { Contestant } from "@agent-arena/core/domain/Contestant"
import type { Project } from "@agent-arena/core/domain/Project"
import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Plan from "@agent-arena/core/engine/Plan"
import { judgeIsContestant } from "@agent-arena/core/engine/Preflight"
import type { ContestantReadiness } from "@agent-arena/core/engine/Readiness"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { contestantsOnly, isJudge, isSimulated, oneCall, roster, whole } from "./probe.ts"

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

/** The plan of one call, with the disabled contestants in it: they are not asked, but inner calls may name them. */
const planOf = (project: Project): Plan.Plan => ({ ...Plan.make(project), contestants: project.contestants })

const call = (project: Project, contestant: Contestant) =>
  Arena.execute(planOf(oneCall(project, contestant))).pipe(
    Stream.runHead,
    Effect.map((head): LiveCall => (head._tag === "Some" ? head.value : null)),
    Effect.catchTag("ProjectError", () => Effect.succeed(null)),
    Effect.scoped
  )

/** Who can run, and every problem of cases, scorers and hooks. These end a check, so the former is asked again alone. */
const check = Effect.fnUntraced(function* (project: Project) {
  const checked = yield* Effect.result(Arena.check(whole(project)))
  if (checked._tag === "Success") return { ...checked.success, problems: [] }
  return { ...(yield* Arena.check(contestantsOnly(project))), problems: checked.failure.issues }
})

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
  const { contestants, problems, warnings } = yield* check(project)
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
  return {
    contestants: examined,
    problems: [...problems, ...unpriced],
    // The examination asks another judge, so that nothing is said of this one.
    warnings: [...warnings, ...judgeIsContestant(project)]
  } satisfies Examination
})
