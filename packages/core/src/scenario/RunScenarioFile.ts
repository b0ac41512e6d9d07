/** Scenario files without a project around them: check one, play one with scripted answers or a recording. */
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { ProjectError, type ProjectIssue } from "../domain/ProjectError.ts"
import { loadModule } from "../project/ProjectModule.ts"
import { IssueLog } from "../project/source/IssueLog.ts"
import * as ProjectFiles from "../project/source/ProjectFiles.ts"
import type { ScorerRegistry } from "../scoring/ScorerRegistry.ts"
import * as ScorerRegistries from "../scoring/ScorerRegistry.ts"
import { failIfWrong, type LoadedScenario, loadScenarioFile, readTree } from "./file/LoadScenario.ts"
import { type CompiledScenario, compile, verifierCase } from "./play/Compiled.ts"
import { loadFunctions, type ScenarioFunctions } from "./play/Functions.ts"
import { plainContext } from "./play/PlainContext.ts"
import { play } from "./play/Play.ts"
import type { PlayContext } from "./play/PlayContext.ts"
import { type ScriptedAnswer, scripted, scriptedJudge } from "./play/ScriptedAnswers.ts"

/** A scenario file with everything it names loaded. */
export interface ReadyScenario {
  readonly loaded: LoadedScenario
  readonly compiled: CompiledScenario
  readonly functions: ScenarioFunctions
  readonly warnings: ReadonlyArray<ProjectIssue>
}

/** Problems of scorers and functions that a scenario names, with places. */
export const namesMissing = (
  { at, scenario }: Pick<LoadedScenario, "at" | "scenario">,
  registry: Pick<ScorerRegistry<unknown>, "check">
): ReadonlyArray<ProjectIssue> =>
  scenario.nodes.flatMap((node) =>
    node.verify.flatMap((verifier) =>
      registry.check(verifierCase(scenario, node, verifier)).map(({ message, suggestion }) => ({
        position: at("nodes", node.id),
        message: `node "${node.id}": verify: ${message.replace(/^case "[^"]*": /, "")}`,
        suggestion
      }))
    )
  )

const failWith = (issues: ReadonlyArray<ProjectIssue>): Effect.Effect<void, ProjectError> => {
  const [first, ...rest] = issues
  return first === undefined ? Effect.void : Effect.fail(new ProjectError({ issues: [first, ...rest] }))
}

/** The scorers of the folder that a scenario belongs to. */
const registryOf = Effect.fnUntraced(function* (root: string) {
  const folder = join(root, "scorers")
  const kind = yield* Effect.orElseSucceed(ProjectFiles.kindOf(folder), () => null)
  return yield* ScorerRegistries.make({
    root,
    settings: { default: "exact_match", paths: kind === "folder" ? [folder] : [], options: {} },
    customScorers: [],
    importModule: (file) => Effect.map(loadModule(root, file), ({ exports }) => exports)
  })
})

/** Loads a scenario file, its scorers and its functions. Fails with everything that is wrong, with places. */
export const readyScenarioFile = Effect.fn("readyScenarioFile")(function* (path: string) {
  const loaded = yield* loadScenarioFile(path)
  const registry = yield* registryOf(loaded.root)
  yield* failWith(namesMissing(loaded, registry))
  const compiled = compile(loaded.scenario, registry)
  const { functions, problems } = yield* loadFunctions(loaded.root, compiled.functions)
  yield* failWith(problems.map(({ message }) => ({ position: loaded.position, message, suggestion: null })))
  return { loaded, compiled, functions, warnings: [...loaded.warnings, ...registry.warnings] } satisfies ReadyScenario
})

/** What `checkScenarioFile` found to be sound. */
export interface ScenarioCheck {
  readonly name: string
  readonly nodes: number
  readonly edges: number
  readonly outcomes: number
  readonly warnings: ReadonlyArray<ProjectIssue>
}

/** Everything about a scenario file that can be known beforehand. Fails with all errors at once. */
export const checkScenarioFile = (path: string): Effect.Effect<ScenarioCheck, ProjectError> =>
  Effect.map(readyScenarioFile(path), ({ loaded: { scenario }, warnings }) => ({
    name: scenario.name,
    nodes: scenario.nodes.length,
    edges: scenario.edges.length,
    outcomes: scenario.outcomes.length,
    warnings
  }))

/** A script: answers in order, and replies of a judge for fields that need one. */
export interface AnswerScript {
  readonly answers: ReadonlyArray<ScriptedAnswer>
  readonly judge: ReadonlyArray<string>
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const answerOf = (item: unknown): ScriptedAnswer | null => {
  if (typeof item === "string") return item
  if (typeof item === "number" || typeof item === "boolean") return String(item)
  if (!isMapping(item)) return null
  if (typeof item["error"] === "string" && Object.keys(item).length === 1) return { error: item["error"] }
  const { cost_usd: cost, text, tokens, tool_calls: tools, ...rest } = item
  if (typeof text !== "string" || Object.keys(rest).length > 0) return null
  return {
    text,
    ...(Array.isArray(tools) ? { tool_calls: tools } : {}),
    ...(typeof tokens === "number" ? { tokens } : {}),
    ...(typeof cost === "number" ? { cost_usd: cost } : {})
  }
}

/** Reads a script: a list of answers (a text, or `{error: …}`), or a mapping with `answers` and `judge`. */
export const readAnswers = Effect.fn("readAnswers")(function* (path: string) {
  const log = new IssueLog()
  const tree = yield* readTree(resolve(path), path, log)
  yield* failIfWrong(log)
  const value = tree?.value
  const list = isMapping(value) ? value["answers"] : value
  const prefix = isMapping(value) ? ["answers"] : []
  const at = (path: ReadonlyArray<string | number>) => tree?.at(path) ?? { file: "", line: null, column: null }
  if (!Array.isArray(list)) {
    log.error(at([]), "expected a list of answers", 'write - "an answer", or - {error: what went wrong}')
  }
  const answers = (Array.isArray(list) ? list : []).flatMap((item, index) => {
    const answer = answerOf(item)
    if (answer !== null) return [answer]
    log.error(at([...prefix, index]), `answer ${index + 1}: expected a text, {text: …} or {error: …}`)
    return []
  })
  const judge = isMapping(value) && Array.isArray(value["judge"]) ? value["judge"].map(String) : []
  yield* failIfWrong(log)
  return { answers, judge } satisfies AnswerScript
})

export interface RunScenarioOptions extends Partial<Omit<PlayContext, "respond">> {
  readonly script: AnswerScript
}

/** Plays a scenario file with scripted answers; no model is asked. */
export const runScenarioFile = Effect.fn("runScenarioFile")(function* (path: string, options: RunScenarioOptions) {
  const { compiled, functions } = yield* readyScenarioFile(path)
  const { script, ...context } = options
  const judge = script.judge.length === 0 ? {} : { ask: scriptedJudge(script.judge), judge: "scripted" }
  return yield* play(
    compiled,
    plainContext({
      scenario: compiled.scenario.name,
      contestant: "scripted",
      functions,
      ...judge,
      ...context,
      respond: scripted(script.answers)
    })
  )
})
