import * as Result from "effect/Result"
import { closest } from "../../domain/DidYouMean.ts"
import type { Params } from "../../domain/TestCase.ts"
import { ConnectorError } from "../Connector.ts"
import { type ScriptEntry, wrongEntry } from "./MockScript.ts"

export const mockModes = ["oracle", "flaky", "fixed", "echo", "empty", "script"] as const
export type MockMode = (typeof mockModes)[number]

/** How a mock answers, checked and complete. */
export interface MockParams {
  readonly mode: MockMode
  /** Percent of answers that are right in mode flaky, 0..100. */
  readonly accuracy: number
  /** Simulated latency, ms: reported, or really waited for when `sleep` is set. */
  readonly latencyMs: number
  readonly sleep: boolean
  readonly wrongText: string
  readonly text: string
  readonly seed: string
  /** One entry per attempt of a cell, the last one repeating; null = no script for the cases that have none of their own. */
  readonly script: ReadonlyArray<ScriptEntry> | null
  readonly scriptByCase: ReadonlyMap<string, ReadonlyArray<ScriptEntry>>
}

type Check = (value: unknown) => string | null

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const number =
  (minimum: number, maximum = Number.POSITIVE_INFINITY): Check =>
  (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= minimum && value <= maximum
      ? null
      : `must be a number ${maximum === Number.POSITIVE_INFINITY ? `>= ${minimum}` : `from ${minimum} to ${maximum}`}`

const text: Check = (value) => (typeof value === "string" ? null : "must be a text (quote it in YAML)")

const isMode = (value: unknown): value is MockMode => mockModes.some((mode) => mode === value)

const mode: Check = (value) => {
  if (isMode(value)) return null
  const near = typeof value === "string" ? closest(value, mockModes) : null
  return `must be one of ${mockModes.join(", ")}${near === null ? "" : ` (did you mean "${near}"?)`}`
}

const script: Check = (value) => {
  if (!Array.isArray(value) || value.length === 0) return "must be a list of at least one entry"
  for (const [index, entry] of value.entries()) {
    const wrong = wrongEntry(entry)
    if (wrong !== null) return `entry ${index + 1}: ${wrong}`
  }
  return null
}

const scriptByCase: Check = (value) => {
  if (!isRecord(value)) return "must be a mapping from case ids to lists of entries"
  for (const [id, entries] of Object.entries(value)) {
    const wrong = script(entries)
    if (wrong !== null) return `case "${id}": ${wrong}`
  }
  return null
}

const checks: Readonly<Record<string, Check>> = {
  mode,
  accuracy: number(0, 100),
  latency_ms: number(0),
  sleep: (value) => (typeof value === "boolean" ? null : "must be true or false"),
  wrong_text: text,
  text,
  seed: (value) => (typeof value === "string" || typeof value === "number" ? null : "must be a text or a number"),
  script,
  script_by_case: scriptByCase
}

/**
 * Params that a mock does not know are left alone, because `defaults.params` are written for other connectors, too;
 * one that is nearly the name of a mock's own is a typing error.
 */
const wrongParam = (params: Params): string | null => {
  for (const [name, value] of Object.entries(params)) {
    const check = checks[name]
    if (check === undefined || !Object.hasOwn(checks, name)) {
      const near = name.length < 4 ? null : closest(name, Object.keys(checks))
      if (near !== null) return `unknown param "${name}" of a mock (did you mean "${near}"?)`
      continue
    }
    const wrong = check(value)
    if (wrong !== null) return `params.${name} of a mock ${wrong}`
  }
  const scripted = params["script"] !== undefined || params["script_by_case"] !== undefined
  const given = params["mode"]
  if (scripted && given !== undefined && given !== "script") {
    return `params.script of a mock is read in mode script only, not in mode ${String(given)}`
  }
  if (!scripted && given === "script") return "mode script of a mock needs params.script or params.script_by_case"
  return null
}

const modeOf = (model: string, params: Params): MockMode => {
  const given = params["mode"]
  if (isMode(given)) return given
  if (params["script"] !== undefined || params["script_by_case"] !== undefined) return "script"
  const suffix = /^mock:(.*)$/i.exec(model)?.[1]
  return isMode(suffix) && suffix !== "script" ? suffix : "oracle"
}

/** A record that passed `checks` is what its entries say; a wrong shape falls back to the default all the same. */
const read = <A>(value: unknown, is: (value: unknown) => value is A, otherwise: A): A => (is(value) ? value : otherwise)
const isNumber = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string"
const isScript = (value: unknown): value is ReadonlyArray<ScriptEntry> => script(value) === null

/**
 * Reads the params of the mock `model`. The mode is `params.mode`, else `script` when there is a script, else the part
 * of `mock:NAME` after the colon when that is a mode, else `oracle`.
 */
export const mockParams = (model: string, params: Params): Result.Result<MockParams, ConnectorError> => {
  const wrong = wrongParam(params)
  if (wrong !== null) return Result.fail(new ConnectorError({ detail: wrong, suggestion: null }))
  const byCase = params["script_by_case"]
  const seed = params["seed"]
  return Result.succeed({
    mode: modeOf(model, params),
    accuracy: read(params["accuracy"], isNumber, 100),
    latencyMs: read(params["latency_ms"], isNumber, 0),
    sleep: params["sleep"] === true,
    wrongText: read(params["wrong_text"], isText, "I am not sure."),
    text: read(params["text"], isText, ""),
    seed: seed === undefined ? "" : String(seed),
    script: isScript(params["script"]) ? params["script"] : null,
    scriptByCase: new Map(
      isRecord(byCase)
        ? Object.entries(byCase).flatMap(([id, list]) => (isScript(list) ? [[id, list] as const] : []))
        : []
    )
  })
}
