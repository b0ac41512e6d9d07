/** A run that this program executes, as a source for the screen. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import { endMark } from "../run/RunModel.ts"
import { type Refusal, type RunControls, type RunSource, refusal } from "../run/RunSource.ts"
import { caseTexts } from "./CaseTexts.ts"
import { makeColumnReader } from "./MeasuredColumns.ts"
import { rankMeasured } from "./RankMeasured.ts"

export const refuse = (error: { readonly message: string }): Refusal => refusal(error.message)

/** The store is opened when the first record is asked for: a run that nobody looks into needs none. */
export const liveSource = (
  project: Project,
  handle: RunHandle,
  store: Effect.Effect<ResultStore["Service"], Refusal>,
  takeWish: NonNullable<RunControls["takeWish"]> = () => null
): Effect.Effect<RunSource> =>
  Effect.gen(function* () {
    const { measurements } = handle
    const { rules } = measurements
    const { startedAt } = yield* handle.snapshot
    const readColumns = makeColumnReader(rules, measurements)
    const report = yield* Effect.cached(handle.result)
    return {
      facts: {
        id: handle.id,
        project: project.name,
        rules,
        startedAt,
        kind: "live",
        budgetUsd: project.budgets.maxRunUsd,
        drainMs: project.run.drainS * 1000,
        termDrainMs: project.run.termDrainS * 1000
      },
      readOutcomes: (take) => Effect.sync(() => readColumns(take)),
      events: handle.events,
      ending: Effect.map(report, ({ run }) => {
        const { status, stopReason, finishedAt } = run
        if (status === "running" || stopReason === null) return null
        const at = finishedAt === null ? null : Date.parse(finishedAt)
        return { status, stopReason, finishedAt: at, mark: endMark(run) }
      }),
      snapshot: handle.snapshot,
      rank: rankMeasured(measurements),
      leaderboard: Effect.map(report, ({ leaderboard }) => leaderboard),
      result: (cell) => Effect.flatMap(store, (opened) => Effect.mapError(opened.result(handle.id, cell), refuse)),
      testCase: caseTexts(project),
      controls: {
        pause: handle.pause,
        resume: handle.resume,
        stop: handle.stop,
        stopNow: handle.stopNow,
        cancelCell: handle.cancelCell,
        takeWish
      }
    }
  })
