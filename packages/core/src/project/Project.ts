/** A project: a folder decoded, and what a program may add to it. */
import * as Effect from "effect/Effect"
import type { Contestant } from "../domain/Contestant.ts"
import type { Project } from "../domain/Project.ts"
import type { ProjectError } from "../domain/ProjectError.ts"
import type { Scorer } from "../domain/Scorer.ts"
import type { TestCase } from "../domain/TestCase.ts"
import type { ProjectOverrides } from "./config/Overrides.ts"
import { ProjectLoader } from "./ProjectLoader.ts"
import * as RankingRules from "./RankingRules.ts"

export type { Project } from "../domain/Project.ts"
export type { ProjectOverrides } from "./config/Overrides.ts"
export { make as rules } from "./RankingRules.ts"

/**
 * Loads a project from its folder or from its config file.
 *
 * Nothing of the project is executed: modules are only looked up. Fails with one `ProjectError` that lists everything
 * that is wrong, with positions. `overrides` replace settings of the file and are checked like them.
 */
export const load = (path: string, overrides: ProjectOverrides = {}): Effect.Effect<Project, ProjectError> =>
  Effect.flatMap(ProjectLoader, (loader) => loader.load(path, overrides))

const update = <R>(project: Omit<Project<R>, "rules">): Project<R> => ({
  ...project,
  rules: RankingRules.make(project)
})

/** The project with contestants written in the program; one whose key is already there takes the other's place. */
export const withContestants = <R, R2>(
  project: Project<R>,
  contestants: ReadonlyArray<Contestant<R2>>
): Project<R | R2> => {
  const keys = new Set(contestants.map(({ key }) => key))
  const kept: ReadonlyArray<Contestant<R | R2>> = project.contestants.filter(({ key }) => !keys.has(key))
  return update<R | R2>({ ...project, contestants: [...kept, ...contestants] })
}

/** The project with scorers written in the program; a name that is already known means the new one from now on. */
export const withScorers = <R, R2>(project: Project<R>, scorers: ReadonlyArray<Scorer<R2>>): Project<R | R2> => {
  const names = new Set(scorers.map(({ name }) => name))
  const kept: ReadonlyArray<Scorer<R | R2>> = project.customScorers.filter(({ name }) => !names.has(name))
  return update<R | R2>({ ...project, customScorers: [...kept, ...scorers] })
}

/** The project with other cases. */
export const withCases = <R>(project: Project<R>, cases: ReadonlyArray<TestCase>): Project<R> =>
  update({ ...project, cases })

/** Settings that a program may change after loading; each block is laid over the project's own, key by key. */
export type SettingsChange = {
  readonly [K in
    | "run"
    | "defaults"
    | "metrics"
    | "constraints"
    | "statistics"
    | "budgets"
    | "judge"
    | "output"]?: Partial<Project[K]>
}

/** The project with other settings. Unlike `load`'s overrides these are not checked: they are typed values. */
export const withSettings = <R>(project: Project<R>, change: SettingsChange): Project<R> =>
  update({
    ...project,
    run: { ...project.run, ...change.run },
    defaults: { ...project.defaults, ...change.defaults },
    metrics: { ...project.metrics, ...change.metrics },
    constraints: { ...project.constraints, ...change.constraints },
    statistics: { ...project.statistics, ...change.statistics },
    budgets: { ...project.budgets, ...change.budgets },
    judge: { ...project.judge, ...change.judge },
    output: { ...project.output, ...change.output }
  })
