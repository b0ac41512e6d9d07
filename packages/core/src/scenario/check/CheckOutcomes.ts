import { suggest } from "../../project/source/Suggestion.ts"
import type { NamedOutcome, Scenario } from "../model/Scenario.ts"
import { type Outcome, partsOf } from "../outcome/Outcome.ts"
import { turnFields } from "../state/TurnFields.ts"
import { conditionFindings } from "./CheckConditions.ts"
import type { Finding } from "./Finding.ts"

const turnPathProblem = (path: string) => {
  const root = path.split(".", 1)[0] ?? ""
  const dotted = root === "parsed" || root === "rubric"
  if (dotted ? path !== root : turnFields.includes(path)) return null
  return { message: `there is no field "${path}" of a turn`, suggestion: suggest(root, turnFields, "known") }
}

const nodesIn = (part: Outcome): ReadonlyArray<string> => {
  switch (part._tag) {
    case "TurnCheck":
      return part.scope._tag === "Any" || part.scope._tag === "All" ? (part.scope.nodes ?? []) : []
    case "CountTurns":
    case "FirstMatchIndex":
      return part.nodes ?? []
    default:
      return []
  }
}

const whereOf = (part: Outcome) => {
  switch (part._tag) {
    case "TurnCheck":
    case "CountTurns":
    case "FirstMatchIndex":
      return part.where
    default:
      return null
  }
}

const ofOutcome = (scenario: Scenario, { check, name }: NamedOutcome, before: ReadonlySet<string>) => {
  const part = { kind: "outcomes", key: name } as const
  const ids = scenario.nodes.map(({ id }) => id)
  return partsOf(check).flatMap((inner): ReadonlyArray<Finding> => {
    const unknown = nodesIn(inner).filter((id) => !ids.includes(id))
    const where = whereOf(inner)
    const fields = inner._tag === "CrossTurn" ? [inner.sourceField, inner.targetField].map(turnPathProblem) : []
    return [
      ...unknown.map(
        (id): Finding => ({
          level: "error",
          part,
          message: `outcome "${name}": there is no node "${id}"`,
          suggestion: suggest(id, ids, "nodes")
        })
      ),
      ...(where === null ? [] : conditionFindings(where, part, `outcome "${name}"`, turnPathProblem)),
      ...fields.flatMap(
        (problem): ReadonlyArray<Finding> =>
          problem === null
            ? []
            : [
                {
                  level: "error",
                  part,
                  message: `outcome "${name}": ${problem.message}`,
                  suggestion: problem.suggestion
                }
              ]
      ),
      ...(inner._tag === "Reference" && !before.has(inner.outcome)
        ? [
            {
              level: "error",
              part,
              message: `outcome "${name}": there is no outcome "${inner.outcome}" before it`,
              suggestion: suggest(inner.outcome, [...before], "outcomes")
            } as const
          ]
        : [])
    ]
  })
}

/** Kinds of outcomes that are numbers beyond 0..1. */
const isCount = ({ check }: NamedOutcome): boolean => check._tag === "CountTurns" || check._tag === "FirstMatchIndex"

const ofScore = (scenario: Scenario): ReadonlyArray<Finding> => {
  const byName = new Map(scenario.outcomes.map((outcome) => [outcome.name, outcome]))
  return Object.keys(scenario.score).flatMap((name): ReadonlyArray<Finding> => {
    const outcome = byName.get(name)
    if (outcome === undefined) {
      return [
        {
          level: "error",
          part: null,
          message: `score: there is no outcome "${name}"`,
          suggestion: suggest(name, [...byName.keys()], "outcomes")
        }
      ]
    }
    if (!isCount(outcome)) return []
    return [
      {
        level: "error",
        part: null,
        message: `score: the outcome "${name}" is a count, and a score is 0..1`,
        suggestion: "compare it, such as {count_turns: {…}, gte: 2}"
      }
    ]
  })
}

/** Outcomes that are named twice, or ask for what can never be there. */
export const checkOutcomes = (scenario: Scenario): ReadonlyArray<Finding> => {
  const before = new Set<string>()
  const findings: Array<Finding> = []
  for (const outcome of scenario.outcomes) {
    findings.push(...ofOutcome(scenario, outcome, before))
    if (before.has(outcome.name)) {
      findings.push({
        level: "error",
        part: { kind: "outcomes", key: outcome.name },
        message: `there are two outcomes "${outcome.name}"`,
        suggestion: null
      })
    }
    before.add(outcome.name)
  }
  return [...findings, ...ofScore(scenario)]
}
