/** Functions of the project that a scenario names, loaded before it is played. */
import * as Effect from "effect/Effect"
import { loadFunction } from "../../project/ProjectModule.ts"
import { type Compared, Fault, named } from "../condition/Compared.ts"
import type { OutcomeValue } from "../model/Turn.ts"

/** By name as written, `file.ts:function`. */
export type ScenarioFunctions = ReadonlyMap<string, (...args: ReadonlyArray<unknown>) => unknown>

export const noFunctions: ScenarioFunctions = new Map()

const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Calls a function that must answer at once; whatever goes wrong is a fault. */
export const callNow = (functions: ScenarioFunctions, name: string, args: ReadonlyArray<unknown>): unknown => {
  const run = functions.get(name)
  if (run === undefined) return new Fault(`there is no function ${name}`)
  try {
    const value = run(...args)
    if (isThenable(value) || Effect.isEffect(value)) return new Fault(`${name} must answer at once, without waiting`)
    return value
  } catch (cause) {
    return new Fault(`${name} failed: ${messageOf(cause)}`)
  }
}

/** A function that answers yes or no. */
export const callCondition = (functions: ScenarioFunctions, name: string, args: ReadonlyArray<unknown>): Compared => {
  const value = callNow(functions, name, args)
  if (typeof value === "boolean" || value instanceof Fault) return value
  return new Fault(`${name} returned ${named(value)} instead of true or false`)
}

/** A function that gives an outcome. */
export const callOutcome = (
  functions: ScenarioFunctions,
  name: string,
  args: ReadonlyArray<unknown>
): OutcomeValue | Fault => {
  const value = callNow(functions, name, args)
  if (typeof value === "boolean" || value === null || value instanceof Fault) return value
  if (typeof value === "number" && Number.isFinite(value)) return value
  return new Fault(`${name} returned ${named(value)} instead of true, false, a number or null`)
}

/** Splits `file.ts:function` at the last colon. */
export const parseFunctionName = (name: string): { readonly module: string; readonly exportName: string } | null => {
  const colon = name.lastIndexOf(":")
  const exportName = name.slice(colon + 1).trim()
  const module = name.slice(0, colon).trim()
  return colon < 1 || module === "" || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(exportName)
    ? null
    : { module, exportName }
}

/** Loads functions by name; what cannot be loaded is told apart. `hashes` are those of their modules. */
export const loadFunctions = Effect.fnUntraced(function* (root: string, names: Iterable<string>) {
  const functions = new Map<string, (...args: ReadonlyArray<unknown>) => unknown>()
  const problems: Array<{ readonly name: string; readonly message: string }> = []
  const hashes: Array<string> = []
  for (const name of new Set(names)) {
    const reference = parseFunctionName(name)
    if (reference === null) {
      problems.push({ name, message: `"${name}" names no function: write "file.ts:function"` })
      continue
    }
    const loaded = yield* Effect.result(loadFunction(root, reference))
    if (loaded._tag === "Failure") problems.push({ name, message: loaded.failure.message })
    else {
      functions.set(name, loaded.success.call)
      hashes.push(loaded.success.hash)
    }
  }
  return { functions, problems, hashes }
})
