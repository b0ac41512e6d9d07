import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { ofValue } from "../domain/ContentHash.ts"
import type { CellContext } from "../domain/Generation.ts"
import type { Project } from "../domain/Project.ts"
import type { ProjectIssue } from "../domain/ProjectError.ts"
import type { Scorer } from "../domain/Scorer.ts"
import type { ScorerError } from "../domain/ScorerError.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { loadModule, moduleHash } from "../project/ProjectModule.ts"
import type { PlayCell } from "../scenario/PlayCell.ts"
import { prepareScenarios } from "../scenario/PrepareScenarios.ts"
import { makeWrapBlocking } from "../scoring/blocking/BlockingScorers.ts"
import { type BoundScorer, type CellScore, scoreCellSync } from "../scoring/CellScore.ts"
import * as ScorerRegistries from "../scoring/ScorerRegistry.ts"

/** Judges the answers of one case; synchronous when its scorers are. */
export type ScoreCase = (output: string, cell: CellContext) => CellScore | Effect.Effect<CellScore, ScorerError>

/** The scorers of a project, closed over what they need of the program. */
export interface Scorers {
  /** What is wrong with the scorers themselves; then nothing else is usable. */
  readonly issues: ReadonlyArray<ProjectIssue>
  readonly warnings: ReadonlyArray<ProjectIssue>
  /** Hash of the code of a project's own scorer; null for built-ins and scorers of the program. */
  readonly codeOf: (name: string) => string | null
  readonly check: (testCase: TestCase) => ReadonlyArray<ProjectIssue>
  readonly scoreCase: (testCase: TestCase) => ScoreCase
  /** How a scenario is played in a cell; null for an ordinary case. */
  readonly playCase: (testCase: TestCase) => PlayCell | null
}

const broken = (issues: ReadonlyArray<ProjectIssue>): Scorers => ({
  issues,
  warnings: [],
  codeOf: () => null,
  check: () => [],
  playCase: () => null,
  scoreCase: () => () => Effect.die(new Error("scorers of a project that did not pass preflight"))
})

/** Hashes of the files that scorers come from, by scorer name. */
const codeHashes = (root: string, scorers: ReadonlyArray<Scorer<never>> | ReadonlyArray<Scorer<unknown>>) =>
  Effect.map(
    Effect.forEach(scorers, ({ name, source }) =>
      source === "built-in" || source === "program"
        ? Effect.succeed(null)
        : Effect.match(moduleHash(root, source), { onSuccess: (hash) => [name, hash] as const, onFailure: () => null })
    ),
    (hashes) => new Map(hashes.filter((entry) => entry !== null))
  )

/** A scenario may be judged by any scorer of the project, and routed by functions of its modules. */
const scenarioCode = (code: ReadonlyMap<string, string>, modules: ReadonlyArray<string>): string | null =>
  code.size === 0 && modules.length === 0 ? null : ofValue([[...code].toSorted(), modules])

/** Scorers of a case that need nothing of the program any more. */
const provided =
  <R>(registry: Pick<ScorerRegistries.ScorerRegistry<R>, "bind">, context: Context.Context<R>) =>
  (testCase: TestCase): ReadonlyArray<BoundScorer> =>
    registry.bind(testCase).map(({ params, scorer, weight }) => ({
      params,
      weight,
      scorer: {
        ...scorer,
        score: (input) => {
          const scored = scorer.score(input)
          return Effect.isEffect(scored) ? Effect.provideContext(scored, context) : scored
        }
      }
    }))

/** Builds the scorers of a project: built-ins, its `scorers/` folder, and those of the program. */
export const loadScorers = <R>(project: Project<R>): Effect.Effect<Scorers, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const made = yield* Effect.result(
      ScorerRegistries.make<R>({
        root: project.root,
        settings: project.scorers,
        customScorers: project.customScorers,
        judge: project.judge,
        cases: project.cases,
        wrapBlocking: yield* makeWrapBlocking(project.root, { ...project.env, ...process.env }),
        importModule: (file) => Effect.map(loadModule(project.root, file), ({ exports }) => exports)
      })
    )
    if (Result.isFailure(made)) return broken(made.failure.issues)
    const registry = made.success
    const code = yield* codeHashes(project.root, registry.scorers)
    const scenarios = yield* prepareScenarios(project, { check: registry.check, bind: provided(registry, context) })
    return {
      issues: scenarios.issues,
      warnings: [...registry.warnings, ...scenarios.warnings],
      codeOf: (name) => (name === "scenario" ? scenarioCode(code, scenarios.modules) : (code.get(name) ?? null)),
      check: (testCase) => (testCase.scenario === undefined ? registry.check(testCase) : []),
      playCase: (testCase) => scenarios.plays.get(testCase) ?? null,
      scoreCase: (testCase) => {
        const bound = registry.bind(testCase)
        return (output, cell) => {
          const scored = scoreCellSync(bound, { output, testCase, cell })
          return Effect.isEffect(scored) ? Effect.provideContext(scored, context) : scored
        }
      }
    }
  })
