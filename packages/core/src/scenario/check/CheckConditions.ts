import * as Result from "effect/Result"
import { suggest } from "../../project/source/Suggestion.ts"
import { type Check, type Condition, checksOf } from "../condition/Condition.ts"
import { dateOf, formatProblem } from "../condition/Dates.ts"
import { patternOf } from "../condition/Patterns.ts"
import type { Scenario } from "../model/Scenario.ts"
import { stateRoots } from "../state/StatePath.ts"
import { templateOf } from "../state/Template.ts"
import { turnFields } from "../state/TurnFields.ts"
import type { Finding } from "./Finding.ts"

/** What a path into the state may name. */
interface Vocabulary {
  readonly nodes: ReadonlyArray<string>
  readonly parsed: ReadonlyArray<string>
  readonly accumulated: ReadonlySet<string>
  /** Functions may put anything into the accumulated state. */
  readonly openState: boolean
}

const vocabularyOf = (scenario: Scenario): Vocabulary => {
  const accumulated = new Set(Object.keys(scenario.state))
  let openState = false
  for (const { update } of scenario.nodes) {
    for (const one of update) {
      if (one._tag === "Function") openState = true
      else for (const name of Object.keys(one.values)) accumulated.add(name)
    }
  }
  return {
    nodes: scenario.nodes.map(({ id }) => id),
    parsed: [...new Set(scenario.nodes.flatMap(({ parse }) => Object.keys(parse)))],
    accumulated,
    openState
  }
}

const begins = (name: string, path: string): boolean => path === name || path.startsWith(`${name}.`)

interface Impossible {
  readonly message: string
  readonly suggestion: string | null
}

const oneOf = (rest: string, known: ReadonlyArray<string>, what: string): Impossible | null =>
  known.some((name) => begins(name, rest))
    ? null
    : { message: `there is no ${what} "${rest.split(".", 1)[0] ?? rest}"`, suggestion: suggest(rest, known, "known") }

const needsName = (path: string): Impossible => ({ message: `"${path}" needs a name after a dot`, suggestion: null })

/** Why a path can never have a value; null when it can. */
const impossible = (path: string, known: Vocabulary): Impossible | null => {
  const indexed = /^turns\[-?\d+\]\.(.+)$/.exec(path)
  if (indexed !== null) return oneOf(indexed[1] ?? "", turnFields, "field of a turn")
  const dot = path.indexOf(".")
  const root = dot === -1 ? path : path.slice(0, dot)
  const rest = dot === -1 ? "" : path.slice(dot + 1)
  switch (root) {
    case "node_visits":
    case "node_results":
      return rest === "" ? needsName(path) : oneOf(rest, known.nodes, "node")
    case "parsed":
      return rest === "" ? null : oneOf(rest, known.parsed, "parsed field")
    case "accumulated":
      return rest === "" || known.openState ? null : oneOf(rest, [...known.accumulated], "accumulated value")
    case "turns":
      return { message: `"${path}" names no turn`, suggestion: "write turns[-1].output" }
    default:
      if (dot === -1 && stateRoots.includes(root)) return null
      return { message: `there is nothing at "${path}"`, suggestion: suggest(root, stateRoots, "known") }
  }
}

/** A pattern of a test that does not compile. */
const brokenPattern = ({ test }: Check): string | null => {
  const written =
    test._tag === "Operator"
      ? test.operator === "matches"
        ? String(test.value)
        : null
      : "pattern" in test.primitive
        ? test.primitive.pattern
        : null
  if (written === null) return null
  const pattern = patternOf(written)
  return Result.isFailure(pattern) ? pattern.failure : null
}

/** A comparison that can never be made. */
const unusable = ({ test }: Check): string | null => {
  if (test._tag !== "Primitive") return null
  const { primitive } = test
  if (primitive.type === "SemanticMatch") {
    return "SemanticMatch needs embeddings: verify with the scorer semantic_similarity, and ask for its score"
  }
  if (primitive.type === "DateMatch" && primitive.format !== undefined) {
    const problem = formatProblem(primitive.format)
    return problem === null ? null : `the form of dates ${JSON.stringify(primitive.format)}: ${problem}`
  }
  const bounds = primitive.type === "DateRange" ? [primitive.min, primitive.max] : []
  const bad = bounds.find((bound) => bound !== undefined && dateOf(bound) === null)
  return bad === undefined ? null : `${JSON.stringify(bad)} is no date`
}

/** What is wrong with the checks of a condition; `isPossible` judges their paths. */
export const conditionFindings = (
  condition: Condition,
  part: Finding["part"],
  where: string,
  pathProblem: (path: string) => Impossible | null
): ReadonlyArray<Finding> =>
  checksOf(condition).flatMap((check): ReadonlyArray<Finding> => {
    const path = pathProblem(check.field)
    const pattern = brokenPattern(check)
    const never = unusable(check)
    return [
      ...(never === null ? [] : [{ level: "error", part, message: `${where}: ${never}`, suggestion: null } as const]),
      ...(path === null
        ? []
        : [{ level: "error", part, message: `${where}: ${path.message}`, suggestion: path.suggestion } as const]),
      ...(pattern === null
        ? []
        : [{ level: "error", part, message: `${where}: the pattern is broken: ${pattern}`, suggestion: null } as const])
    ]
  })

const templateFindings = (scenario: Scenario, known: Vocabulary): ReadonlyArray<Finding> =>
  scenario.nodes.flatMap(({ id, parse, prompt, system, update }) => {
    const part = { kind: "nodes", key: id } as const
    const texts = [prompt, ...(system === null ? [] : [system])]
    const paths = texts.flatMap((text) => templateOf(text).required).map((path) => [path, `node "${id}"`] as const)
    return [
      ...paths.flatMap(([path, where]): ReadonlyArray<Finding> => {
        const problem = impossible(path, known)
        return problem === null
          ? []
          : [{ level: "error", part, message: `${where}: ${problem.message}`, suggestion: problem.suggestion }]
      }),
      ...Object.entries(parse).flatMap(([name, parser]): ReadonlyArray<Finding> => {
        const pattern = parser._tag === "Regex" ? patternOf(parser.pattern) : null
        if (pattern === null || Result.isSuccess(pattern)) return []
        return [
          {
            level: "error",
            part,
            message: `node "${id}": parse.${name}: the pattern is broken: ${pattern.failure}`,
            suggestion: null
          }
        ]
      }),
      ...update.flatMap(({ when }) =>
        when === null ? [] : conditionFindings(when, part, `node "${id}": update`, (path) => impossible(path, known))
      )
    ]
  })

/** Conditions and templates that ask for what can never be there. */
export const checkConditions = (scenario: Scenario): ReadonlyArray<Finding> => {
  const known = vocabularyOf(scenario)
  const edges = [...scenario.edges.entries()].flatMap(([index, { from, to, when }]) =>
    when === null
      ? []
      : conditionFindings(when, { kind: "edges", key: index }, `edge ${from} -> ${to}`, (path) =>
          impossible(path, known)
        )
  )
  return [...edges, ...templateFindings(scenario, known)]
}
