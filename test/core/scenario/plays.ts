/** Scenarios written as text, made ready, and played with answers that are written down. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import { ProjectError } from "@agent-arena/core/domain/ProjectError"
import { IssueLog } from "@agent-arena/core/project/source/IssueLog"
import * as SourceText from "@agent-arena/core/project/source/SourceText"
import * as YamlTree from "@agent-arena/core/project/source/YamlTree"
import { readScenario } from "@agent-arena/core/scenario/file/ReadScenario"
import type { Scenario } from "@agent-arena/core/scenario/model/Scenario"
import type { TurnRecord } from "@agent-arena/core/scenario/model/Turn"
import { type CompiledScenario, compile } from "@agent-arena/core/scenario/play/Compiled"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play } from "@agent-arena/core/scenario/play/Play"
import type { PlayContext, TurnAnswer, TurnRequest } from "@agent-arena/core/scenario/play/PlayContext"
import { type ScriptedAnswer, scripted } from "@agent-arena/core/scenario/play/ScriptedAnswers"
import * as ScorerRegistry from "@agent-arena/core/scoring/ScorerRegistry"

const registry = ScorerRegistry.fromScorers([])

export const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name)

/** What reading a text says: the scenario, and every problem as `line: message`. */
export const readText = (text: string) => {
  const log = new IssueLog()
  const tree = YamlTree.make(SourceText.make("test.yaml", text))
  const scenario = "value" in tree ? readScenario(tree, log)?.scenario : undefined
  const told = ({
    message,
    position
  }: {
    readonly message: string
    readonly position: { readonly line: number | null }
  }) => `${position.line}: ${message}`
  return { scenario, errors: log.errors.map(told), warnings: log.warnings.map(told), log }
}

/** A scenario that must be sound. */
export const scenarioOf = (text: string): Scenario => {
  const { log, scenario } = readText(text)
  const [first, ...rest] = log.errors
  if (first !== undefined) throw new ProjectError({ issues: [first, ...rest] })
  if (scenario === undefined) throw new Error("no scenario")
  return scenario
}

export const compiledOf = (text: string): CompiledScenario => compile(scenarioOf(text), registry)
export const compileScenario = (scenario: Scenario): CompiledScenario => compile(scenario, registry)

export const capitalCheck = readFileSync(fixture("capital-check.yaml"), "utf8")

/** Plays a scenario with answers in order. */
export const playText = (text: string, answers: ReadonlyArray<ScriptedAnswer>, context: Partial<PlayContext> = {}) => {
  const compiled = compiledOf(text)
  return play(
    compiled,
    plainContext({ scenario: compiled.scenario.name, contestant: "ans", respond: scripted(answers), ...context })
  )
}

/** `T`, `F` or `-` for each turn. */
export const verdicts = (turns: ReadonlyArray<TurnRecord>): string =>
  turns.map(({ verifyResult }) => (verifyResult === null ? "-" : verifyResult ? "T" : "F")).join(" ")

/** What was sent, as `role: text`. */
export const sent = ({ messages, system }: TurnRequest): ReadonlyArray<string> => [
  ...(system === null ? [] : [`system: ${system}`]),
  ...messages.map(({ content, role }) => `${role}: ${String(content)}`)
]

export const answer = (text: string): TurnAnswer => ({
  text,
  usage: unknownUsage,
  costUsd: null,
  latencyMs: null,
  toolCalls: []
})
