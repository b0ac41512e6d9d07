/** What a scorer written by a user may return, and what becomes of it. Wrong results are refused, never repaired. */
import * as Result from "effect/Result"
import { didYouMean } from "../domain/DidYouMean.ts"
import * as Score from "../domain/Score.ts"

/** A score as users write it; what is absent is derived: score from passed, passed from score >= 0.5. */
export interface ScoreLike {
  /** 0..1, or a verdict; null = not scored. */
  readonly score?: number | boolean | null
  readonly passed?: boolean | null
  readonly reason?: string
  /** Anything JSON can write, kept in the record. */
  readonly detail?: Readonly<Record<string, unknown>>
  /** Custom metrics by name; null = unknown, and left out. */
  readonly metrics?: Readonly<Record<string, number | null>>
}

/** A number 0..1, a verdict, or both with a reason. */
export type ScoreValue = number | boolean | ScoreLike

const fields = ["score", "passed", "reason", "detail", "metrics"]

const refuse = (problem: string) => Result.fail(problem)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readNumber = (value: unknown): Result.Result<number | null, string> => {
  if (value === null) return Result.succeed(null)
  if (typeof value === "boolean") return Result.succeed(value ? 1 : 0)
  if (typeof value !== "number")
    return refuse(`the score must be a number 0..1, true, false or null; got ${show(value)}`)
  return value >= 0 && value <= 1 ? Result.succeed(value + 0) : refuse(`the score must lie in 0..1; got ${value}`)
}

const show = (value: unknown): string => {
  if (value === undefined) return "undefined"
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`
  if (typeof value === "function") return "a function"
  return Array.isArray(value) ? "a list" : typeof value === "object" && value !== null ? "an object" : String(value)
}

const readMetrics = (value: unknown): Result.Result<Score.Score["metrics"], string> => {
  if (!isRecord(value)) return refuse(`metrics must map names to numbers; got ${show(value)}`)
  const metrics: Record<string, number> = {}
  for (const [name, metric] of Object.entries(value)) {
    if (metric === null || metric === undefined) continue
    if (typeof metric !== "number" || !Number.isFinite(metric)) {
      return refuse(`metric "${name}" must be a finite number or null; got ${show(metric)}`)
    }
    metrics[name] = metric
  }
  return Result.succeed(metrics)
}

/** A copy that is plain JSON, so that the store can write it and later changes do not reach it. */
const readDetail = (value: unknown): Result.Result<Score.Score["detail"], string> => {
  if (!isRecord(value)) return refuse(`detail must map names to values; got ${show(value)}`)
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value))
    return isRecord(copy) ? Result.succeed(copy) : refuse("detail must map names to values")
  } catch (cause) {
    return refuse(`detail cannot be written as JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

const readVerdict = (value: Readonly<Record<string, unknown>>): Result.Result<Score.Score, string> => {
  const { passed, reason } = value
  if (passed !== undefined && passed !== null && typeof passed !== "boolean") {
    return refuse(`passed must be true, false or null; got ${show(passed)}`)
  }
  if (reason !== undefined && reason !== null && typeof reason !== "string") {
    return refuse(`the reason must be text; got ${show(reason)}`)
  }
  const scored = value["score"] === undefined ? (passed ?? null) : value["score"]
  if (value["score"] === undefined && (passed === undefined || passed === null)) {
    return refuse("the result has neither score nor passed")
  }
  const score = readNumber(scored)
  if (Result.isFailure(score)) return Result.fail(score.failure)
  if (score.success === null && typeof passed === "boolean")
    return refuse("a result without a score cannot have passed")
  const metrics = readMetrics(value["metrics"] ?? {})
  if (Result.isFailure(metrics)) return Result.fail(metrics.failure)
  const detail = readDetail(value["detail"] ?? {})
  if (Result.isFailure(detail)) return Result.fail(detail.failure)
  return Result.succeed(
    Score.make(score.success, {
      ...(typeof passed === "boolean" ? { passed } : {}),
      ...(typeof reason === "string" ? { reason } : {}),
      metrics: metrics.success,
      detail: detail.success
    })
  )
}

/** Reads what a scorer returned; fails with what is wrong with it. NaN and scores outside of 0..1 are refused. */
export const readScore = (value: unknown): Result.Result<Score.Score, string> => {
  if (typeof value === "number" || typeof value === "boolean") {
    return Result.map(readNumber(value), (score) => Score.make(score))
  }
  if (!isRecord(value)) {
    return refuse(`expected a number 0..1, true, false, or an object with ${fields.join(", ")}; got ${show(value)}`)
  }
  for (const key of Object.keys(value)) {
    if (fields.includes(key)) continue
    const hint = didYouMean(key, fields)
    return refuse(`the result has an unknown field "${key}"${hint === null ? "" : ` (${hint})`}`)
  }
  return readVerdict(value)
}
