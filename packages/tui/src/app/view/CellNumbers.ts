/** The numbers of a cell's record: tokens, times, money, attempts, inner calls. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { clock, duration, integer, latency, unknown, usd } from "../terminal/Format.ts"
import { type Line, line, segment } from "../terminal/Line.ts"
import { facts, prose } from "./Document.ts"

const tokens = (count: number | null): string => (count === null ? unknown : integer(count))

const parts = (pairs: ReadonlyArray<readonly [string, number | null]>): string =>
  pairs
    .filter(([, count]) => count !== null)
    .map(([name, count]) => `${name} ${tokens(count)}`)
    .join(", ")

const tokenText = (result: CallResult): string => {
  const { usage } = result
  const more = parts([
    ["cached", usage.cachedRead],
    ["written to cache", usage.cachedWrite],
    ["reasoning", usage.reasoning]
  ])
  return `${tokens(usage.prompt)} in, ${tokens(usage.completion)} out${more === "" ? "" : ` (${more})`}`
}

const costText = (result: CallResult): string => {
  const source =
    result.costSource === null ? "" : result.costSource === "provider" ? " (as billed)" : " (by price list)"
  return `${usd(result.costUsd)}${source}`
}

const waited = (ms: number): string => (ms === 0 ? "" : duration(ms))

export const numberLines = (result: CallResult): ReadonlyArray<Line> =>
  facts(
    [
      ["model", result.model],
      ["served by", result.servedModel === null || result.servedModel === result.model ? "" : result.servedModel],
      ["provider", result.provider],
      ["tokens", tokenText(result)],
      ["cost", costText(result)],
      ["latency", latency(result.latencyMs)],
      ["first token", result.timeToFirstTokenMs === null ? "" : latency(result.timeToFirstTokenMs)],
      ["rate limit", waited(result.rateLimitWaitMs), "warning"],
      ["retry waits", waited(result.retryWaitMs), "warning"],
      ["in all", duration(result.durationMs)],
      ["started", clock(result.startedAt)],
      ["finish", result.finishReason ?? ""],
      ["request id", result.requestId ?? ""],
      ["dropped", result.settingsDropped.join(", "), "warning"],
      ...Object.entries(result.metrics).map(([name, value]): readonly [string, string] => [name, String(value)])
    ],
    12
  )

/** One line for each attempt, with what went wrong and how long the next one waited. */
export const attemptLines = (result: CallResult, width: number): ReadonlyArray<Line> => {
  const [first] = result.attempts
  if (first === undefined) return []
  return result.attempts.flatMap((attempt, index): ReadonlyArray<Line> => {
    const offset = attempt.startedAt - first.startedAt
    const head: Line = [
      segment(` ${index + 1}`, "strong"),
      segment(`  +${duration(offset)}  took ${duration(attempt.durationMs)}`),
      segment(attempt.error === null ? "  answered" : "  failed", attempt.error === null ? "pass" : "error"),
      ...(attempt.waitMs === 0 ? [] : [segment(`  then waited ${duration(attempt.waitMs)}`, "warning")])
    ]
    return attempt.error === null ? [head] : [head, ...prose(`  ${attempt.error.message}`, width, "muted")]
  })
}

export const stepLines = (result: CallResult, width: number): ReadonlyArray<Line> =>
  result.steps.flatMap((step, index) => [
    line(` ${index + 1}  ${step.model}  ${latency(step.latencyMs)}  ${usd(step.costUsd)}`, "strong"),
    ...prose(step.prompt, width, "muted"),
    ...prose(step.error ?? step.output ?? unknown, width, step.error === null ? "plain" : "error")
  ])
