/** What the start screen shows of a project that was loaded and checked. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { ProjectError } from "@agent-arena/core/domain/ProjectError"
import { estimate } from "@agent-arena/core/engine/Estimate"
import type { Readiness } from "@agent-arena/core/engine/Readiness"
import type { Candidate, ProjectFacts, ProjectProblems } from "../run/ArenaSource.ts"

const candidates = (project: Project, readiness: Readiness): ReadonlyArray<Candidate> => {
  const forecast = new Map(estimate(project, readiness).contestants.map((entry) => [entry.key, entry]))
  return readiness.contestants.map(({ key, label, model, provider, skipped, priced }) => {
    const { calls, usd } = forecast.get(key) ?? { calls: 0, usd: null }
    return {
      key,
      label,
      model,
      provider,
      skipped,
      priced,
      expectedUsd: usd === null || calls === 0 ? null : usd / calls
    }
  })
}

const limit = (seconds: number): number | null => (seconds > 0 ? seconds : null)

export const factsOf = (project: Project, readiness: Readiness): ProjectFacts => ({
  name: project.name,
  description: project.description,
  root: project.root,
  candidates: candidates(project, readiness),
  cases: project.cases,
  trials: project.run.trials,
  concurrency: project.run.concurrency,
  limits: {
    requestTimeoutS: limit(project.run.requestTimeoutS),
    idleTimeoutS: limit(project.run.idleTimeoutS),
    cellTimeoutS: limit(project.run.cellTimeoutS),
    maxWallS: limit(project.run.maxWallS)
  },
  budgets: project.budgets,
  constraints: project.constraints,
  warnings: readiness.warnings,
  forecast: estimate(project, readiness).assumptions.slice(0, 2).join("; ")
})

export const problems = ({ issues }: ProjectError): ProjectProblems => ({ _tag: "ProjectProblems", issues })
