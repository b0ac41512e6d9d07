/** Turns what a project file exports into scorers. */
import * as Result from "effect/Result"
import { didYouMean } from "../domain/DidYouMean.ts"
import type { Scorer } from "../domain/Scorer.ts"
import type { Params, TestCase } from "../domain/TestCase.ts"
import type { Registration } from "./RegisterScorer.ts"
import { isScorer, make, type ScoreFunction, type ScorerOptions } from "./Scorer.ts"

const fields = ["name", "description", "requiresReference", "blocking", "score", "check"]

type AnyFunction = (...args: ReadonlyArray<unknown>) => unknown

const isFunction = (value: unknown): value is AnyFunction => typeof value === "function"

const isClass = (value: AnyFunction): boolean => /^class\b/.test(Function.prototype.toString.call(value))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// The function is foreign: its result is checked when it returns, whatever its type says.
const asScoreFunction = (run: AnyFunction, owner: unknown): ScoreFunction =>
  ((...args: ReadonlyArray<unknown>) => Reflect.apply(run, owner, args)) as ScoreFunction

const asCheck = (run: AnyFunction, owner: unknown): NonNullable<ScorerOptions["check"]> => {
  return (testCase: TestCase, params: Params) => {
    const found: unknown = Reflect.apply(run, owner, [testCase, params])
    if (found === undefined || found === null) return []
    const problems: ReadonlyArray<unknown> = Array.isArray(found) ? found : [found]
    return problems.map((problem) =>
      typeof problem === "string" ? problem : "its check must return texts, one a problem, or nothing"
    )
  }
}

const unknownField = (definition: Readonly<Record<string, unknown>>): string | null => {
  // Instances of classes have fields of their own; only plain objects are held to the known ones.
  if (Object.getPrototypeOf(definition) !== Object.prototype) return null
  const unknown = Object.keys(definition).find((key) => !fields.includes(key))
  if (unknown === undefined) return null
  const hint = didYouMean(unknown, fields)
  return `unknown field "${unknown}"${hint === null ? "" : ` (${hint})`}`
}

const wrongField = (definition: Readonly<Record<string, unknown>>): string | null => {
  const { name, description, requiresReference, blocking, check } = definition
  if (name !== undefined && (typeof name !== "string" || name === "")) return "name must be text that is not empty"
  if (description !== undefined && typeof description !== "string") return "description must be text"
  if (requiresReference !== undefined && typeof requiresReference !== "boolean") {
    return "requiresReference must be true or false"
  }
  if (blocking !== undefined && typeof blocking !== "boolean") return "blocking must be true or false"
  return check !== undefined && !isFunction(check) ? "check must be a function" : unknownField(definition)
}

const refuse = (problem: string) => Result.fail(problem)

/** Reads one definition: a function, an object with `score`, or a scorer made by `Scorer.make`. */
export const readDefinition = (
  definition: unknown,
  fallbackName: string,
  source: string
): Result.Result<Scorer, string> => {
  if (isScorer(definition)) return Result.succeed({ ...definition, source })
  if (isFunction(definition)) {
    if (isClass(definition)) return refuse("export an instance of the class, or a function, not the class itself")
    return Result.succeed(make(fallbackName, asScoreFunction(definition, undefined), { source }))
  }
  if (!isRecord(definition)) return refuse("a scorer is a function, or an object with a function score")
  const { name, description, requiresReference, blocking, score, check } = definition
  if (!isFunction(score)) return refuse("a scorer object needs a function score(output, reference, context)")
  const wrong = wrongField(definition)
  if (wrong !== null) return refuse(wrong)
  return Result.succeed(
    make(typeof name === "string" ? name : fallbackName, asScoreFunction(score, definition), {
      source,
      description: typeof description === "string" ? description : "",
      requiresReference: requiresReference === true,
      blocking: blocking === true,
      ...(isFunction(check) ? { check: asCheck(check, definition) } : {})
    })
  )
}

const named = (exported: unknown): Result.Result<ReadonlyArray<Registration>, string> => {
  if (exported === undefined) return Result.succeed([])
  if (Array.isArray(exported)) return Result.succeed(exported.map((definition) => ({ name: null, definition })))
  if (!isRecord(exported)) return refuse('the export "scorers" must map names to scorers')
  return Result.succeed(Object.entries(exported).map(([name, definition]) => ({ name, definition })))
}

/**
 * The scorers of one imported file: its default export, its export `scorers`, and what it registered. Exports of other
 * names are its own affair. Fails with what is wrong.
 */
export const scorersOfModule = (
  exports: Readonly<Record<string, unknown>>,
  registered: ReadonlyArray<Registration>,
  fileName: string,
  source: string
): Result.Result<ReadonlyArray<Scorer>, string> => {
  const map = named(exports["scorers"])
  if (Result.isFailure(map)) return Result.fail(map.failure)
  const own = exports["default"]
  const all = [...(own === undefined ? [] : [{ name: null, definition: own }]), ...map.success, ...registered]
  // The same thing exported and registered is one scorer.
  const distinct = all.filter((one, index) => all.findIndex((other) => other.definition === one.definition) === index)
  const scorers: Array<Scorer> = []
  for (const { name, definition } of distinct) {
    const read = readDefinition(definition, name ?? fileName, source)
    if (Result.isFailure(read)) return refuse(name === null ? read.failure : `scorer "${name}": ${read.failure}`)
    scorers.push(name === null ? read.success : { ...read.success, name })
  }
  if (scorers.length > 0) return Result.succeed(scorers)
  return refuse(
    "it registers no scorer: export one as default, export a map `scorers`, or call registerScorer; begin the names of other files with _"
  )
}
