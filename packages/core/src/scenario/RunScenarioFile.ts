/** Scenario files without a project around them: check one, play one with scripted answers or a recording. */
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { ProjectError, type ProjectIssue } from "../domain/ProjectError.ts"
import { loadModule } from "../project/ProjectModule.ts"
import { IssueLog } from "../project/source/IssueLog.ts"
import type { Path } from "../project/source/Path.ts"
import * as ProjectFiles from "../project/source/ProjectFiles.ts"
import { show } from "../project/source/Suggestion.ts"
import type { ScorerRegistry } from "../scoring/ScorerRegistry.ts"
import * as ScorerRegistries from "../scoring/ScorerRegistry.ts"
import { failIfWrong, type LoadedScenario, loadScenarioFile, readTree } from "./file/LoadScenario.ts"
import { expected, isMapping, onlyKeys, type Pen } from "./file/Pen.ts"
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

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value) && value >= 0
const isAmount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0

const readTextAnswer = (pen: Pen, path: Path, item: Readonly<Record<string, unknown>>): ScriptedAnswer | null => {
  onlyKeys(pen, path, item, ["text", "tokens", "cost_usd", "tool_calls"])
  const { cost_usd: cost, text, tokens, tool_calls: tools } = item
  if (typeof text !== "string") expected(pen, [...path, "text"], "a text", text)
  if (tokens !== undefined && !isCount(tokens)) expected(pen, [...path, "tokens"], "a whole number >= 0", tokens)
  if (cost !== undefined && !isAmount(cost)) expected(pen, [...path, "cost_usd"], "a number >= 0", cost)
  if (tools !== undefined && !Array.isArray(tools)) expected(pen, [...path, "tool_calls"], "a list of calls", tools)
  return {
    text: typeof text === "string" ? text : "",
    ...(Array.isArray(tools) ? { tool_calls: tools } : {}),
    ...(isCount(tokens) ? { tokens } : {}),
    ...(isAmount(cost) ? { cost_usd: cost } : {})
  }
}

/** A text as it is written (`007` stays `007`); null when it is none. */
const scalarAt = ({ tree }: Pen, path: Path, value: unknown): string | null => {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? (tree.written(path) ?? String(value)) : null
}

const readAnswer = (pen: Pen, path: Path, item: unknown): ScriptedAnswer | null => {
  const text = scalarAt(pen, path, item)
  if (text !== null) return text
  if (isMapping(item) && typeof item["error"] === "string") {
    onlyKeys(pen, path, item, ["error"])
    return { error: item["error"] }
  }
  if (isMapping(item) && "text" in item) return readTextAnswer(pen, path, item)
  expected(pen, path, "a text, {text: …} or {error: …}", item)
  return null
}

/** A reply of a judge: a text, or the fields themselves. */
const readReply = (pen: Pen, path: Path, item: unknown): string | null => {
  const text = scalarAt(pen, path, item)
  if (text !== null) return text
  if (isMapping(item)) return JSON.stringify(item)
  expected(pen, path, "a reply: a text, or a mapping of fields", item)
  return null
}

const readScript = (pen: Pen, value: unknown): AnswerScript => {
  const whole = isMapping(value)
  if (whole) onlyKeys(pen, [], value, ["answers", "judge"])
  const list = whole ? value["answers"] : value
  const judge = (whole ? value["judge"] : undefined) ?? []
  const prefix: Path = whole ? ["answers"] : []
  if (!Array.isArray(list)) {
    const hint = 'write - "an answer", or - {error: what went wrong}'
    pen.log.error(pen.tree.at(prefix), `expected a list of answers, got ${show(list)}`, hint)
  }
  if (!Array.isArray(judge)) expected(pen, ["judge"], "a list of replies", judge)
  return {
    answers: Array.isArray(list) ? list.flatMap((item, index) => readAnswer(pen, [...prefix, index], item) ?? []) : [],
    judge: Array.isArray(judge) ? judge.flatMap((item, index) => readReply(pen, ["judge", index], item) ?? []) : []
  }
}

/** Reads a script: a list of answers (a text, or `{error: …}`), or a mapping with `answers` and `judge`. */
export const readAnswers = Effect.fn("readAnswers")(function* (path: string) {
  const log = new IssueLog()
  const tree = yield* readTree(resolve(path), path, log)
  const script = tree === null ? null : readScript({ tree, log }, tree.value)
  yield* failIfWrong(log)
  return script ?? { answers: [], judge: [] }
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
