/** The scenario of a case, from its file or as a program gave it. */
import { extname } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ScenarioDocument } from "../domain/ScenarioDocument.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { IssueLog } from "../project/source/IssueLog.ts"
import * as JsonTree from "../project/source/JsonTree.ts"
import * as SourceText from "../project/source/SourceText.ts"
import * as YamlTree from "../project/source/YamlTree.ts"
import { checkGraph } from "./check/CheckGraph.ts"
import { readScenario } from "./file/ReadScenario.ts"
import { Scenario } from "./model/Scenario.ts"

const decode = Schema.decodeUnknownResult(Scenario)
const isDocument = Schema.is(ScenarioDocument)

/** Cases live as long as their project; each file is read once more only when its problems are asked for. */
const known = new WeakMap<TestCase, Scenario | null>()

/** The scenario of a case: read from its file with places, or as a program gave it. What is wrong goes to the log. */
export const scenarioOf = (testCase: TestCase, log: IssueLog): Scenario | null => {
  const scenario = read(testCase, log)
  known.set(testCase, log.failed ? null : scenario)
  return scenario
}

const read = (testCase: TestCase, log: IssueLog): Scenario | null => {
  const given = testCase.scenario
  if (isDocument(given)) {
    const source = SourceText.make(given.file, given.text)
    const tree = extname(given.file).toLowerCase() === ".json" ? JsonTree.make(source) : YamlTree.make(source)
    const problems = "value" in tree ? tree.problems : tree
    for (const { message, position, suggestion } of problems) log.error(position, message, suggestion)
    return "value" in tree ? (readScenario(tree, log)?.scenario ?? null) : null
  }
  const decoded = decode(given)
  if (Result.isFailure(decoded)) {
    log.error(testCase.position, `scenario "${testCase.id}" is none: ${decoded.failure.message}`)
    return null
  }
  for (const { level, message, suggestion } of checkGraph(decoded.success)) {
    if (level === "error") log.error(testCase.position, message, suggestion)
    else log.warn(testCase.position, message, suggestion)
  }
  return decoded.success
}

const soundScenario = (testCase: TestCase): Scenario | null => {
  if (testCase.scenario === undefined) return null
  const found = known.get(testCase)
  if (found !== undefined) return found
  const log = new IssueLog()
  const scenario = scenarioOf(testCase, log)
  return log.failed ? null : scenario
}

/** The sound scenarios among the cases of a project, by name. */
export const scenariosOf = (cases: ReadonlyArray<TestCase>): ReadonlyMap<string, Scenario> =>
  new Map(
    cases.flatMap((testCase) => {
      const scenario = soundScenario(testCase)
      return scenario === null ? [] : [[scenario.name, scenario] as const]
    })
  )

/** Whether playing the scenario of a case asks a judge: for fields, or as a scorer. */
export const asksJudge = (testCase: TestCase): boolean =>
  soundScenario(testCase)?.nodes.some(
    ({ parse, verify }) =>
      verify.some(({ type }) => type === "llm_judge") || Object.values(parse).some(({ _tag }) => _tag === "Judge")
  ) ?? false
