/** Options of scorers as tables: one entry reads a value, names what may be written, and documents it. */
import * as Result from "effect/Result"
import { didYouMean } from "../domain/DidYouMean.ts"
import type { ScorerParamDoc } from "../domain/Scorer.ts"
import type { Params } from "../domain/TestCase.ts"

/** One option. `read` fails with what was expected. A value of null counts as absent. */
export interface Param<A> {
  readonly type: string
  readonly description: string
  readonly fallback: A
  readonly read: (value: unknown) => Result.Result<A, string>
  readonly aliases?: ReadonlyArray<string>
}

export type ParamTable = Readonly<Record<string, Param<unknown>>>

/** The options that a table reads. */
export type OptionsOf<T extends ParamTable> = {
  readonly [K in keyof T]: T[K] extends Param<infer A> ? A : never
}

const expected = (what: string) => Result.fail(`expected ${what}`)

/** `true` or `false`. */
export const flag = (fallback: boolean, description: string): Param<boolean> => ({
  type: "true | false",
  description,
  fallback,
  read: (value) => (typeof value === "boolean" ? Result.succeed(value) : expected("true or false"))
})

/** One of a few words. */
export const choice = <const Words extends ReadonlyArray<string>>(
  words: Words,
  fallback: Words[number],
  description: string
): Param<Words[number]> => ({
  type: words.join(" | "),
  description,
  fallback,
  read: (value) => {
    const word = words.find((one) => one === value)
    if (word !== undefined) return Result.succeed(word)
    const hint = typeof value === "string" ? didYouMean(value, words) : null
    return expected(`${words.join(", ")}${hint === null ? "" : ` (${hint})`}`)
  }
})

/** A finite number within bounds, both included. */
export const quantity = (
  fallback: number,
  bounds: { readonly minimum: number; readonly maximum: number },
  description: string,
  aliases: ReadonlyArray<string> = []
): Param<number> => {
  const limits =
    bounds.maximum === Number.POSITIVE_INFINITY ? `>= ${bounds.minimum}` : `${bounds.minimum}..${bounds.maximum}`
  return {
    type: `number ${limits}`,
    description,
    fallback,
    aliases,
    read: (value) =>
      typeof value === "number" && Number.isFinite(value) && value >= bounds.minimum && value <= bounds.maximum
        ? Result.succeed(value)
        : expected(`a number ${limits}`)
  }
}

/** Text that is not empty; null when absent. */
export const text = (description: string): Param<string | null> => ({
  type: "text",
  description,
  fallback: null,
  read: (value) => (typeof value === "string" && value !== "" ? Result.succeed(value) : expected("text"))
})

/** Text, number or boolean, read as text; null when absent. */
export const scalar = (description: string): Param<string | null> => ({
  type: "text or number",
  description,
  fallback: null,
  read: (value) => {
    const read = scalarText(value)
    return read === null ? expected("text or a number") : Result.succeed(read)
  }
})

/** A list of texts, numbers or booleans, read as texts; empty when absent. */
export const textList = (description: string): Param<ReadonlyArray<string>> => ({
  type: "list of text",
  description,
  fallback: [],
  read: (value) => {
    if (!Array.isArray(value)) return expected("a list of texts")
    const items = value.map(scalarText)
    return items.every((item) => item !== null) ? Result.succeed(items) : expected("a list of texts")
  }
})

/** A scalar of YAML or JSON as text; null for anything else. */
export const scalarText = (value: unknown): string | null => {
  switch (typeof value) {
    case "string":
      return value
    case "number":
      return Number.isFinite(value) ? String(value) : null
    case "boolean":
    case "bigint":
      return String(value)
    default:
      return null
  }
}

const namesOf = (table: ParamTable): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const [name, param] of Object.entries(table)) {
    names.set(name, name)
    for (const alias of param.aliases ?? []) names.set(alias, name)
  }
  return names
}

/** Reads all options of a table; every problem is reported, defaults stand in for what could not be read. */
export const readOptions = <T extends ParamTable>(
  table: T,
  params: Params
): { readonly options: OptionsOf<T>; readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const options: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(table)) options[name] = param.fallback
  const names = namesOf(table)
  const given = new Map<string, string>()
  for (const [written, value] of Object.entries(params)) {
    const name = names.get(written)
    const param = name === undefined ? undefined : table[name]
    if (name === undefined || param === undefined) {
      const hint = didYouMean(written, names.keys())
      problems.push(`unknown param "${written}"${hint === null ? "" : ` (${hint})`}`)
      continue
    }
    if (value === null || value === undefined) continue
    const other = given.get(name)
    if (other !== undefined) problems.push(`params "${other}" and "${written}" mean the same: give one`)
    given.set(name, written)
    const read = param.read(value)
    if (Result.isSuccess(read)) options[name] = read.success
    else problems.push(`param "${written}": ${read.failure}`)
  }
  // The loop above fills exactly the keys of the table with what its own readers return.
  return { options: options as OptionsOf<T>, problems }
}

const written = (value: unknown): string | null => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return null
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The table for people: `arena scorers` and the docs. */
export const documentParams = (table: ParamTable): ReadonlyArray<ScorerParamDoc> =>
  Object.entries(table).map(([name, param]) => ({
    name,
    type: param.type,
    fallback: written(param.fallback),
    description: param.description
  }))
