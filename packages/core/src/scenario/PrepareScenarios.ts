/** The scenarios of a project, made ready for a run. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Project } from "../domain/Project.ts"
import type { ProjectIssue } from "../domain/ProjectError.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { IssueLog } from "../project/source/IssueLog.ts"
import type { ScorerRegistry } from "../scoring/ScorerRegistry.ts"
import type { Scenario } from "./model/Scenario.ts"
import { inCells, type PlayCell } from "./PlayCell.ts"
import { compile, verifierCase } from "./play/Compiled.ts"
import { loadFunctions } from "./play/Functions.ts"
import { judgeFields } from "./play/ParseAnswer.ts"
import { scenarioOf } from "./ScenarioOfCase.ts"
import { thresholdFrom } from "./trace/MaterialiseTrace.ts"

/** How the scenario cases of a project are played, and what is wrong with them. */
export interface ReadyScenarios {
  readonly plays: ReadonlyMap<TestCase, PlayCell>
  readonly issues: ReadonlyArray<ProjectIssue>
  readonly warnings: ReadonlyArray<ProjectIssue>
  /** Hashes of the modules whose functions scenarios call. */
  readonly modules: ReadonlyArray<string>
}

const issueAt = (testCase: TestCase, message: string, suggestion: string | null = null): ProjectIssue => ({
  position: testCase.position,
  message: `scenario "${testCase.id}": ${message}`,
  suggestion
})

const scorerIssues = (testCase: TestCase, scenario: Scenario, registry: Pick<ScorerRegistry<unknown>, "check">) =>
  scenario.nodes.flatMap((node) =>
    node.verify.flatMap((verifier) =>
      registry
        .check(verifierCase(scenario, node, verifier))
        .map(({ message }) => issueAt(testCase, `node "${node.id}": ${message.replace(/^case "[^"]*": /, "")}`))
    )
  )

const namesIssues = (
  testCase: TestCase,
  scenario: Scenario,
  project: Project<unknown>
): ReadonlyArray<ProjectIssue> => {
  const known = new Set(project.contestants.flatMap(({ key, model }) => [key, model]))
  const needsJudge = project.judge.model === null && scenario.nodes.some(({ parse }) => judgeFields(parse).length > 0)
  return [
    ...(needsJudge
      ? [issueAt(testCase, "a field is read by a judge, and the project has none", "add judge: {model: …}")]
      : []),
    ...scenario.nodes.flatMap(({ contestant, id }) =>
      contestant === null || known.has(contestant) || contestant.includes(":")
        ? []
        : [
            issueAt(
              testCase,
              `node "${id}": there is no contestant "${contestant}"`,
              "name a contestant of the project, or a model"
            )
          ]
    )
  ]
}

/** Makes all scenario cases ready: scorers bound, functions loaded. Cases without a scenario are left alone. */
export const prepareScenarios = Effect.fnUntraced(function* (
  project: Project<unknown>,
  registry: Pick<ScorerRegistry<unknown>, "bind" | "check">
) {
  const issues: Array<ProjectIssue> = []
  const log = new IssueLog()
  const modules = new Set<string>()
  const plays = new Map<TestCase, PlayCell>()
  const { threshold, warning } = thresholdFrom(process.env)
  const { dir, keepWorkspaces = true, workspaces: root = null } = project.output
  const workspaces = { root: root ?? join(dir, "workspaces"), everyTurn: root !== null, keep: keepWorkspaces }
  for (const testCase of project.cases) {
    if (testCase.scenario === undefined) continue
    const own = new IssueLog()
    const scenario = scenarioOf(testCase, own)
    for (const { message, position, suggestion } of own.errors) log.error(position, message, suggestion)
    for (const { message, position, suggestion } of own.warnings) log.warn(position, message, suggestion)
    if (scenario === null) continue
    issues.push(...scorerIssues(testCase, scenario, registry), ...namesIssues(testCase, scenario, project))
    const compiled = compile(scenario, registry)
    const { functions, hashes, problems } = yield* loadFunctions(project.root, compiled.functions)
    for (const hash of hashes) modules.add(hash)
    issues.push(...problems.map(({ message }) => issueAt(testCase, message)))
    plays.set(testCase, inCells({ compiled, functions, judge: project.judge, workspaces, traceThreshold: threshold }))
  }
  const place = { file: project.configFile, line: null, column: null }
  if (warning !== null && plays.size > 0) log.warn(place, warning)
  return {
    plays,
    issues: [...log.errors, ...issues],
    warnings: log.warnings,
    modules: [...modules].toSorted()
  } satisfies ReadyScenarios
})
