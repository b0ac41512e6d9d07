/** What a run begins with: the run that it goes on with, or the one whose results it takes over. */
import type { Contestant } from "@agent-arena/core/domain/Contestant"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { StartOptions } from "@agent-arena/core/engine/Arena"
import * as Projects from "@agent-arena/core/project/Project"
import { plural } from "@agent-arena/core/report/Figures"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RunInput } from "../../commands/run.ts"
import { CommandError } from "../../process/Failure.ts"
import { findRun, type ProjectStores, readStores } from "../projectStores.ts"
import { cellsToAsk, type Remaining } from "./remaining.ts"
import { checkRepeat } from "./repeatable.ts"

/** Which outcomes of before are asked again. */
export type Repeat = NonNullable<StartOptions["repeat"]>

/** A run that begins with the results of another, or with its own earlier ones. */
export interface Earlier {
  readonly run: RunRecord
  readonly isResumed: boolean
  /** The project, cut down to what the resumed run was about. */
  readonly project: Project
  readonly options: StartOptions
  readonly remaining: Remaining
  /** What the user should know before it goes on. */
  readonly remarks: ReadonlyArray<string>
}

const both = new CommandError({
  kind: "usage",
  message: "--resume goes on with a run, --reuse begins a new one; they cannot be combined",
  suggestion: "choose one of them"
})

interface Selection {
  readonly project: Project
  readonly remarks: ReadonlyArray<string>
}

/**
 * Going on with a run never means more than it was meant to do: what flags do not choose is chosen as it was then, as
 * far as the project still has it.
 */
const asPlanned = Effect.fnUntraced(function* (
  { store }: ProjectStores,
  project: Project,
  run: RunRecord,
  input: RunInput
) {
  const header = yield* store.header(run.runId)
  if (header === null) return { project, remarks: [] } satisfies Selection
  const { rules } = header
  const chosen = {
    contestants: input.contestants.length > 0,
    cases: input.cases.length > 0 || input.tags.length > 0 || input.excludeTags.length > 0 || Option.isSome(input.limit)
  }
  const keys = new Set<string>(rules.contestants.map(({ key }) => key))
  const ids = new Set<string>(rules.cases.map(({ id }) => id))
  const isPart = ({ enabled, key }: Contestant) => !enabled || chosen.contestants || keys.has(key)
  // Who is no part of the run stays known, like a disabled entry: the others may call it.
  const contestants = project.contestants.map((one) => (isPart(one) ? one : { ...one, enabled: false }))
  const leftOut = project.contestants.filter((one) => !isPart(one)).length
  const cases = project.cases.filter(({ id }) => chosen.cases || ids.has(id))
  const trials = Option.getOrElse(input.trials, () => rules.trials)
  const left = [
    ...(leftOut > 0 ? [plural(leftOut, "contestant")] : []),
    ...(cases.length < project.cases.length ? [plural(project.cases.length - cases.length, "case")] : [])
  ]
  const present = new Set(contestants.flatMap(({ enabled, key }) => (enabled ? [key] : [])))
  const dropped = rules.contestants.filter(({ key }) => !present.has(key)).length
  const narrowed = Projects.withSettings(
    Projects.withCases(Projects.withContestants<never, never>({ ...project, contestants }, []), cases),
    { run: { trials } }
  )
  return {
    project: narrowed,
    remarks: [
      ...(left.length === 0
        ? []
        : [`${left.join(" and ")} of the project are no part of ${run.runId}; --reuse ${run.runId} runs them as well`]),
      ...(dropped === 0
        ? []
        : [
            `the report of ${run.runId} will be without ${plural(dropped, "contestant")} that it had; the results stay stored`
          ])
    ]
  } satisfies Selection
})

/** What the flags say the run begins with; null = nothing. */
export const earlierOf = (project: Project, input: RunInput, repeat: Repeat) =>
  Effect.gen(function* () {
    const { resume, reuse } = input
    if (Option.isSome(resume) && Option.isSome(reuse)) return yield* both
    const wanted = Option.getOrNull(Option.orElse(resume, () => reuse))
    if (wanted === null) return null
    const stores = yield* readStores(project)
    const run = yield* findRun(stores, project, wanted)
    const isResumed = Option.isSome(resume)
    const selection: Selection = isResumed ? yield* asPlanned(stores, project, run, input) : { project, remarks: [] }
    yield* checkRepeat(selection.project, repeat)
    const remaining = yield* cellsToAsk(stores, selection.project, run.runId, repeat)
    const earlier: Earlier = {
      ...selection,
      run,
      isResumed,
      options: { ...(isResumed ? { resume: run.runId } : { reuse: run.runId }), repeat },
      remaining
    }
    return earlier
  }).pipe(Effect.scoped)
