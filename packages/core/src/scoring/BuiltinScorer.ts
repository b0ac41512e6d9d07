import * as Effect from "effect/Effect"
import type { CellContext } from "../domain/Generation.ts"
import type { Score } from "../domain/Score.ts"
import type { Scorer, ScorerInput } from "../domain/Scorer.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import type { Params, TestCase } from "../domain/TestCase.ts"
import { documentParams, type OptionsOf, type ParamTable, readOptions } from "./ScorerParams.ts"

/** What a scorer is prepared from: one case, its reference and its options, already read. */
export interface Subject<Options> {
  readonly options: Options
  /** Undefined when there is none. */
  readonly reference: unknown
  readonly testCase: TestCase
  /** Reports a data error of the case; the prepared judgement is then never used. */
  readonly problem: (text: string) => void
}

/** Judges one output of the case it was prepared for. */
export type Judgement = (output: string, cell: CellContext) => Score | Effect.Effect<Score, ScorerError>

interface Definition<T extends ParamTable> {
  readonly name: string
  readonly description: string
  readonly requiresReference: boolean
  readonly params: T
  /**
   * Everything that depends on the case alone (normalised references, compiled patterns) and every check that can be
   * made before an answer exists. Runs once a case.
   */
  readonly prepare: (subject: Subject<OptionsOf<T>>) => Judgement
}

interface Prepared {
  readonly params: Params
  readonly reference: unknown
  readonly problems: ReadonlyArray<string>
  readonly judge: Judgement
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const failWith = (scorer: string, detail: string) => Effect.fail(new ScorerError({ scorer, detail }))

const prepareWith = <T extends ParamTable>(
  definition: Definition<T>,
  testCase: TestCase,
  params: Params,
  reference: unknown
): Prepared => {
  const { options, problems: optionProblems } = readOptions(definition.params, params)
  const problems = [...optionProblems]
  const unusable = (): Prepared => ({
    params,
    reference,
    problems,
    judge: () => failWith(definition.name, problems.join("; "))
  })
  if (definition.requiresReference && reference === undefined) problems.push("the case has no reference")
  if (problems.length > 0) return unusable()
  try {
    const judge = definition.prepare({ options, reference, testCase, problem: (text) => problems.push(text) })
    return problems.length > 0 ? unusable() : { params, reference, problems, judge }
  } catch (cause) {
    problems.push(messageOf(cause))
    return unusable()
  }
}

/** Preparations kept for one case; more than a few only when one case is judged against changing references. */
const maxKept = 8

/**
 * A scorer that ships with the engine. `check` and `score` share one preparation, so that what preflight accepts is
 * what runs; it is made once a case and kept as long as the case lives.
 */
export const define = <const T extends ParamTable>(definition: Definition<T>): Scorer => {
  const kept = new WeakMap<TestCase, Array<Prepared>>()

  const prepared = (testCase: TestCase, params: Params, reference: unknown): Prepared => {
    let entries = kept.get(testCase)
    if (entries === undefined) {
      entries = []
      kept.set(testCase, entries)
    }
    for (const entry of entries) if (entry.params === params && entry.reference === reference) return entry
    const entry = prepareWith(definition, testCase, params, reference)
    if (entries.length >= maxKept) entries.shift()
    entries.push(entry)
    return entry
  }

  return {
    name: definition.name,
    description: definition.description,
    requiresReference: definition.requiresReference,
    source: "built-in",
    params: documentParams(definition.params),
    check: (testCase, params) => prepared(testCase, params, testCase.reference).problems,
    score: (input: ScorerInput) => {
      try {
        return prepared(input.testCase, input.params, input.reference).judge(input.output, input.cell)
      } catch (cause) {
        return failWith(definition.name, messageOf(cause))
      }
    }
  }
}
