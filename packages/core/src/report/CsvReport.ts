/** The results as CSV (RFC 4180, LF line ends), a row a cell. */
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { RankingRules } from "../domain/Project.ts"
import { answeredFrom, evalType } from "./JsonResult.ts"
import { sanitise } from "./Sanitise.ts"

type Value = string | number | boolean | null

interface CsvColumn {
  readonly name: string
  readonly value: (result: CallResult, tags: ReadonlyArray<string>) => Value
}

const columns: ReadonlyArray<CsvColumn> = [
  { name: "model_key", value: (result) => result.contestant },
  { name: "model", value: (result) => result.model },
  { name: "provider", value: (result) => result.provider },
  { name: "test_id", value: (result) => result.caseId },
  { name: "trial", value: (result) => result.trial },
  { name: "eval_type", value: evalType },
  { name: "status", value: (result) => result.status },
  { name: "stop_reason", value: (result) => result.stopReason },
  { name: "score", value: (result) => result.score },
  { name: "passed", value: (result) => result.passed },
  { name: "output", value: (result) => result.output },
  { name: "reason", value: (result) => result.reason },
  { name: "latency_ms", value: (result) => result.latencyMs },
  { name: "input_tokens", value: (result) => result.usage.prompt },
  { name: "output_tokens", value: (result) => result.usage.completion },
  { name: "cost_usd", value: (result) => result.costUsd },
  { name: "attempts", value: (result) => result.attempts.length },
  { name: "error", value: (result) => result.error?.message ?? null },
  { name: "tags", value: (_, tags) => tags.join(";") },
  { name: "answered_from", value: answeredFrom }
]

// A spreadsheet takes a text that begins like this for a formula; the full-width forms are read as the ASCII ones.
const formula = /^\s*[=+\-@\t\r＝＋－＠]/u

/** One field: numbers as they are, texts that a spreadsheet would execute behind an apostrophe, unknown as nothing. */
export const field = (value: Value): string => {
  if (value === null) return ""
  if (typeof value !== "string") return String(value)
  const text = sanitise(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The file in pieces of a few hundred rows, header first. */
export const render = <E, R>(
  rules: RankingRules,
  results: Stream.Stream<CallResult, E, R>
): Stream.Stream<string, E, R> => {
  const tags = new Map<string, ReadonlyArray<string>>(rules.cases.map(({ id, tags }) => [id, tags]))
  const row = (result: CallResult): string =>
    `${columns.map(({ value }) => field(value(result, tags.get(result.caseId) ?? []))).join(",")}\n`
  return Stream.succeed(`${columns.map(({ name }) => name).join(",")}\n`).pipe(
    Stream.concat(Stream.map(Stream.chunks(results), (chunk) => chunk.map(row).join("")))
  )
}
