import * as Result from "effect/Result"
import { closest } from "../../domain/DidYouMean.ts"
import type { CellContext, GenerationRequest } from "../../domain/Generation.ts"
import { ConnectorError } from "../Connector.ts"

type Values = Readonly<Record<string, unknown>>

/** Builds the JSON body of one call. */
export type MakeBody = (request: GenerationRequest, cell: CellContext) => unknown

const valuesOf = (request: GenerationRequest, cell: CellContext): Values => ({
  prompt: request.prompt,
  messages: request.messages,
  system: request.system,
  params: request.params,
  max_tokens: request.maxTokens,
  temperature: request.temperature,
  seed: request.seed,
  contestant: cell.contestant,
  case_id: cell.caseId,
  trial: cell.trial,
  attempt: cell.attempt,
  tags: cell.tags,
  metadata: cell.metadata,
  ...("reference" in cell ? { reference: cell.reference } : {})
})

const names: ReadonlySet<string> = new Set([
  "prompt",
  "messages",
  "system",
  "params",
  "max_tokens",
  "temperature",
  "seed",
  "contestant",
  "case_id",
  "trial",
  "attempt",
  "tags",
  "metadata",
  "reference"
])

/** What is sent unless the project writes a body of its own. */
const standardBody: MakeBody = (request, cell) => {
  const { prompt, messages, system, params, case_id, trial, reference } = valuesOf(request, cell)
  return { prompt, messages, system, params, case_id, trial, reference }
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g
const onlyPlaceholder = /^\s*\{\{\s*(\w+)\s*\}\}\s*$/

const asText = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** A text that is one placeholder becomes its value as it is; placeholders inside a text become text. */
const fillText = (text: string, values: Values): unknown => {
  const only = onlyPlaceholder.exec(text)?.[1]
  if (only !== undefined && names.has(only)) return values[only] ?? null
  return text.replace(placeholder, (whole, name: string) => (names.has(name) ? asText(values[name]) : whole))
}

const fill = (template: unknown, values: Values): unknown => {
  if (typeof template === "string") return fillText(template, values)
  if (Array.isArray(template)) return template.map((entry) => fill(entry, values))
  if (typeof template !== "object" || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, entry]) => [key, fill(entry, values)]))
}

const textsOf = (template: unknown): ReadonlyArray<string> => {
  if (typeof template === "string") return [template]
  if (typeof template !== "object" || template === null) return []
  return Object.values(template).flatMap(textsOf)
}

/** A placeholder that is nearly one of ours is a typing error; any other is the receiver's. */
const misspelt = (template: unknown): string | null => {
  for (const text of textsOf(template)) {
    for (const [, name = ""] of text.matchAll(placeholder)) {
      const near = names.has(name) ? null : closest(name, names)
      if (near !== null) return `unknown placeholder {{${name}}} in the body (did you mean {{${near}}}?)`
    }
  }
  return null
}

/** Reads the `body` of a `url` target; null or undefined is the standard body. */
export const bodyTemplate = (template: unknown): Result.Result<MakeBody, ConnectorError> => {
  if (template === null || template === undefined) return Result.succeed(standardBody)
  const wrong = misspelt(template)
  if (wrong !== null) return Result.fail(new ConnectorError({ detail: wrong, suggestion: null }))
  return Result.succeed((request, cell) => fill(template, valuesOf(request, cell)))
}
