import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { CellContext } from "../domain/Generation.ts"
import type { Project } from "../domain/Project.ts"
import type { ProjectIssue } from "../domain/ProjectError.ts"
import type { ScorerError } from "../domain/ScorerError.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { loadModule } from "../project/ProjectModule.ts"
import { makeWrapBlocking } from "../scoring/blocking/BlockingScorers.ts"
import { type CellScore, scoreCellSync } from "../scoring/CellScore.ts"
import * as ScorerRegistries from "../scoring/ScorerRegistry.ts"

/** Judges the answers of one case; synchronous when its scorers are. */
export type ScoreCase = (output: string, cell: CellContext) => CellScore | Effect.Effect<CellScore, ScorerError>

/** The scorers of a project, closed over what they need of the program. */
export interface Scorers {
  /** What is wrong with the scorers themselves; then nothing else is usable. */
  readonly issues: ReadonlyArray<ProjectIssue>
  readonly warnings: ReadonlyArray<ProjectIssue>
  readonly check: (testCase: TestCase) => ReadonlyArray<ProjectIssue>
  readonly scoreCase: (testCase: TestCase) => ScoreCase
}

const broken = (issues: ReadonlyArray<ProjectIssue>): Scorers => ({
  issues,
  warnings: [],
  check: () => [],
  scoreCase: () => () => Effect.die(new Error("scorers of a project that did not pass preflight"))
})

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
    return {
      issues: [],
      warnings: registry.warnings,
      check: registry.check,
      scoreCase: (testCase) => {
        const bound = registry.bind(testCase)
        return (output, cell) => {
          const scored = scoreCellSync(bound, { output, testCase, cell })
          return Effect.isEffect(scored) ? Effect.provideContext(scored, context) : scored
        }
      }
    }
  })
