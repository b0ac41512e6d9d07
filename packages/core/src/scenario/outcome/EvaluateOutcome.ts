import { type Compared, Fault, named, normalised, numberOf, sameData, textOf } from "../condition/Compared.ts"
import { applyTest, type ConditionView, holds } from "../condition/EvaluateCondition.ts"
import type { NamedOutcome } from "../model/Scenario.ts"
import type { OutcomeValue, TurnRecord } from "../model/Turn.ts"
import { turnField } from "../state/TurnFields.ts"
import type { Outcome, Scope } from "./Outcome.ts"

/** What outcomes are computed from. */
export interface OutcomeView {
  readonly turns: ReadonlyArray<TurnRecord>
  /** Fields of the result: `status`, `turn_count`, `path`, `accumulated.x`, …; undefined = there is none. */
  readonly resultField: (path: string) => unknown
  /** Calls a function of the project with the result so far. */
  readonly call: (name: string) => OutcomeValue | Fault
  readonly fault: (outcome: string, field: string, message: string) => void
}

type Value = boolean | number | Fault

interface Evaluation {
  readonly view: OutcomeView
  readonly name: string
  readonly done: ReadonlyMap<string, OutcomeValue>
}

const turnView = ({ name, view }: Evaluation, turn: TurnRecord): ConditionView => ({
  resolve: (path) => turnField(turn, path),
  call: (fn) => {
    const value = view.call(fn)
    return value instanceof Fault ? value : value === true
  },
  fault: (field, message) => view.fault(name, field, message)
})

const inNodes = (nodes: ReadonlyArray<string> | null, turn: TurnRecord): boolean =>
  nodes === null || nodes.includes(turn.node)

const turnsOf = (turns: ReadonlyArray<TurnRecord>, scope: Scope): ReadonlyArray<TurnRecord> => {
  switch (scope._tag) {
    case "First":
      return turns.slice(0, 1)
    case "Last":
      return turns.slice(-1)
    case "At": {
      const turn = turns.at(scope.index)
      return turn === undefined ? [] : [turn]
    }
    default:
      return turns.filter((turn) => inNodes(scope.nodes, turn))
  }
}

/** No turn in the scope is "no" for every scope: nothing is true of turns that never were. */
const checkTurns = (run: Evaluation, outcome: Extract<Outcome, { readonly _tag: "TurnCheck" }>): boolean => {
  const turns = turnsOf(run.view.turns, outcome.scope)
  if (turns.length === 0) return false
  const test = (turn: TurnRecord) => holds(outcome.where, turnView(run, turn))
  return outcome.scope._tag === "All" ? turns.every(test) : turns.some(test)
}

const indices = (
  run: Evaluation,
  filter: Extract<Outcome, { readonly _tag: "CountTurns" | "FirstMatchIndex" }>
): ReadonlyArray<number> =>
  run.view.turns.flatMap((turn, index) =>
    inNodes(filter.nodes, turn) && (filter.where === null || holds(filter.where, turnView(run, turn))) ? [index] : []
  )

const compareOrdered = (left: unknown, right: unknown, test: (order: number) => boolean): Compared => {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (a !== null && b !== null) return test(a - b)
  if (typeof left === "string" && typeof right === "string") return test(left < right ? -1 : left > right ? 1 : 0)
  return new Fault(`${named(left)} cannot be compared with ${named(right)} by size`)
}

const crossTurn = (run: Evaluation, outcome: Extract<Outcome, { readonly _tag: "CrossTurn" }>): Compared => {
  const one = (scope: Scope) => (scope._tag === "Any" || scope._tag === "All" ? [] : turnsOf(run.view.turns, scope))
  const [[source], [target]] = [one(outcome.source), one(outcome.target)]
  if (source === undefined || target === undefined) return false
  const ready = (value: unknown) =>
    outcome.normalize.length === 0 ? value : normalised(textOf(value), outcome.normalize)
  const [from, to] = [turnField(source, outcome.sourceField), turnField(target, outcome.targetField)]
  if (from === undefined || to === undefined) return new Fault("one of the two turns has no such field")
  // Nothing can be said about an unknown value, not even that it equals another unknown one.
  if (from === null || to === null) return false
  const [left, right] = [ready(to), ready(from)]
  switch (outcome.comparison) {
    case "eq":
      return sameData(left, right)
    case "neq":
      return !sameData(left, right)
    case "contains":
      return textOf(left).includes(textOf(right))
    case "gt":
      return compareOrdered(left, right, (order) => order > 0)
    case "gte":
      return compareOrdered(left, right, (order) => order >= 0)
    case "lt":
      return compareOrdered(left, right, (order) => order < 0)
    case "lte":
      return compareOrdered(left, right, (order) => order <= 0)
  }
}

const refer = (run: Evaluation, name: string): Value => {
  const value = run.done.get(name)
  if (value === undefined) return new Fault(`there is no outcome "${name}" before this one`)
  return value === null ? new Fault(`the outcome "${name}" could not be assessed`) : value
}

/** Whether a part holds: a count holds when it is not 0, an index when there is one. */
const truth = (run: Evaluation, outcome: Outcome): boolean | Fault => {
  const value = evaluate(run, outcome)
  if (typeof value !== "number") return value
  return outcome._tag === "FirstMatchIndex" ? value >= 0 : value !== 0
}

const counted = (run: Evaluation, conditions: ReadonlyArray<Outcome>) => {
  let held = 0
  const faults: Array<Fault> = []
  for (const condition of conditions) {
    const value = truth(run, condition)
    if (value instanceof Fault) faults.push(value)
    else if (value) held += 1
  }
  return { held, faults }
}

const compared = (run: Evaluation, { of, tests }: Extract<Outcome, { readonly _tag: "Compare" }>): Value => {
  const value = evaluate(run, of)
  if (value instanceof Fault) return value
  for (const test of tests) {
    const result = applyTest(test, value)
    if (result !== true) return result
  }
  return true
}

const neededOf = (outcome: Extract<Outcome, { readonly conditions: ReadonlyArray<Outcome> }>): number => {
  if (outcome._tag === "AtLeastN") return outcome.n
  return outcome._tag === "AllOf" ? outcome.conditions.length : 1
}

/** A part that could not be assessed decides nothing unless the other parts decide without it. */
const composed = (
  run: Evaluation,
  outcome: Extract<Outcome, { readonly conditions: ReadonlyArray<Outcome> }>
): Value => {
  const needed = neededOf(outcome)
  const { faults, held } = counted(run, outcome.conditions)
  if (held >= needed) return true
  return held + faults.length >= needed ? (faults[0] ?? false) : false
}

const evaluate = (run: Evaluation, outcome: Outcome): Value => {
  switch (outcome._tag) {
    case "TurnCheck":
      return checkTurns(run, outcome)
    case "ResultCheck":
      return holds(outcome.check, {
        resolve: run.view.resultField,
        call: () => false,
        fault: (field, message) => run.view.fault(run.name, field, message)
      })
    case "CrossTurn":
      return crossTurn(run, outcome)
    case "CountTurns":
      return indices(run, outcome).length
    case "FirstMatchIndex":
      return indices(run, outcome)[0] ?? -1
    case "Constant":
      return outcome.value
    case "Reference":
      return refer(run, outcome.outcome)
    case "Function": {
      const value = run.view.call(outcome.function)
      return value === null ? new Fault(`${outcome.function} gave no value`) : value
    }
    case "Not": {
      const value = truth(run, outcome.condition)
      return value instanceof Fault ? value : !value
    }
    case "Compare":
      return compared(run, outcome)
    default:
      return composed(run, outcome)
  }
}

/**
 * The outcomes in their order. One that cannot be assessed is null, never false, and the reason is told to `view.fault`;
 * a later outcome may refer to an earlier one.
 */
export const evaluateOutcomes = (
  outcomes: ReadonlyArray<NamedOutcome>,
  view: OutcomeView
): Readonly<Record<string, OutcomeValue>> => {
  const done = new Map<string, OutcomeValue>()
  for (const { check, name } of outcomes) {
    const value = evaluate({ view, name, done }, check)
    if (value instanceof Fault) {
      view.fault(name, "", value.message)
      done.set(name, null)
    } else done.set(name, value)
  }
  return Object.fromEntries(done)
}

/**
 * The weighted mean of outcomes, 0..1. Null when one of them could not be assessed, or is a number outside 0..1, which
 * is told to `wrong`: a count is not a score.
 */
export const scoreOf = (
  shares: Readonly<Record<string, number>>,
  outcomes: Readonly<Record<string, OutcomeValue>>,
  wrong: (outcome: string, message: string) => void
): number | null => {
  let sum = 0
  let weights = 0
  for (const [name, weight] of Object.entries(shares)) {
    const value = outcomes[name]
    if (value === undefined || value === null) return null
    const share = Number(value)
    if (share < 0 || share > 1) {
      wrong(name, `${share} is no score: a score is 0..1`)
      return null
    }
    sum += weight * share
    weights += weight
  }
  return weights === 0 ? null : Math.min(1, sum / weights)
}
