/** `metrics:` and `constraints:`, in their nested and their flat forms. */

import { closest } from "../../domain/DidYouMean.ts"
import type { Direction } from "../../domain/Leaderboard.ts"
import type { Constraints, MetricSettings, MetricSpec, NormaliseMode } from "../../domain/Settings.ts"
import type { Path } from "../source/Path.ts"
import { quote } from "../source/Suggestion.ts"
import type { Block } from "./ConfigFile.ts"
import { type MetricBlock, type MetricsBlock, metricKeys } from "./MetricEntries.ts"
import { type Chosen, choose, error, isDamaged, type ReadContext, toList, valueOf, warn } from "./ReadContext.ts"

const builtIn = [
  "accuracy",
  "strict_accuracy",
  "pass_rate",
  "reliability",
  "cost",
  "latency",
  "latency_p95",
  "tokens"
] as const

const toDirection = (word: MetricBlock["direction"]): Direction | null =>
  word === null || word === undefined ? null : word === "higher" || word === "max" ? "max" : "min"

const toMode = (word: MetricBlock["normalize"]): NormaliseMode | null =>
  word === null || word === undefined ? null : word === "budget" ? "target" : word

const targetKeys = ["target", "budget", "budget_usd_per_1k_calls", "target_p95_ms", "target_ms"] as const

/** The value of a metric's own block, or of the map by metric; both with different values are an error. */
const either = <A>(
  context: ReadContext,
  own: Chosen<A> | null,
  map: string,
  mapped: Readonly<Record<string, A>> | null | undefined,
  name: string
): A | null => {
  const other = mapped != null && Object.hasOwn(mapped, name) ? (mapped[name] ?? null) : null
  if (own !== null && other !== null && own.value !== other) {
    error(context, own.path, `metrics.${map}.${name} says something else`, "keep one of them")
  }
  return own?.value ?? other
}

const readSpec = (context: ReadContext, metrics: MetricsBlock, name: string): MetricSpec => {
  const block: MetricBlock = Object.hasOwn(metrics, name) ? (metrics[name] ?? {}) : {}
  const path: Path = ["metrics", name]
  const direction = either(context, choose(context, path, block, ["direction"]), "directions", metrics.directions, name)
  const word = either(context, choose(context, path, block, ["normalize"]), "normalize", metrics.normalize, name)
  const target = either(context, choose(context, path, block, targetKeys), "targets", metrics.targets, name)
  const mode = toMode(word) ?? (target === null ? null : "target")
  if (mode === "target" && target === null && !isDamaged(context, path)) {
    error(context, path, `normalize: ${word} needs a target`, `add target: NUMBER to metrics.${name}`)
  }
  if (name === "latency" && block.target_p95_ms != null) {
    const message = "target_p95_ms is compared with the mean latency here"
    warn(context, [...path, "target_p95_ms"], message, "the metric latency_p95 ranks by the 95th percentile")
  }
  return { direction: toDirection(direction), normalise: mode, target }
}

/** The key of `metrics:` that a name was probably meant to be; null when it may be the name of a metric. */
export const misspeltMetricKey = (name: string): string | null =>
  [...builtIn, ...metricKeys].some((key) => key === name) ? null : closest(name, metricKeys)

/** A block that no one asked for, with a name close to a key of `metrics` or to a weight, is a slip of the pen. */
const checkName = (context: ReadContext, name: string, wanted: ReadonlySet<string>): void => {
  if (wanted.has(name)) return
  const key = misspeltMetricKey(name)
  const near = key ?? closest(name, [...wanted])
  if (near === null) return
  const message =
    key === null ? `the metric ${quote(name)} is neither built in nor weighted` : `unknown key ${quote(name)}`
  context.log.error(context.tree.keyAt(["metrics", name]), message, `did you mean "${near}"?`)
}

/** A weight may be that of any metric that a target or scorer gives; one that looks like a built-in metric rarely is. */
const checkWeight = (context: ReadContext, metrics: MetricsBlock, name: string): void => {
  if (builtIn.some((known) => known === name) || Object.hasOwn(metrics, name)) return
  const near = closest(name, builtIn)
  if (near === null) return
  const message = `metrics.weights: ${quote(name)} is no built-in metric, so a target or scorer has to give it`
  context.log.warn(context.tree.keyAt(["metrics", "weights", name]), message, `did you mean "${near}"?`)
}

export const readMetrics = (context: ReadContext, metrics: MetricsBlock): MetricSettings => {
  const weights = metrics.weights ?? {}
  const names = Object.keys(metrics).filter((name) => !metricKeys.some((key) => key === name))
  const wanted = new Set<string>([...builtIn, ...Object.keys(weights), metrics.tie_breaker ?? "accuracy"])
  for (const name of names) checkName(context, name, wanted)
  for (const name of Object.keys(weights)) checkWeight(context, metrics, name)
  const given = Object.keys(weights).length > 0
  if (given && Object.values(weights).every((weight) => weight === 0)) {
    error(context, ["metrics", "weights"], "at least one weight must be above 0")
  }
  const mapped = [metrics.directions, metrics.normalize, metrics.targets].flatMap((map) => Object.keys(map ?? {}))
  const specs = [...new Set([...names, ...mapped])].map((name) => [name, readSpec(context, metrics, name)] as const)
  return {
    weights: given ? weights : { accuracy: 1 },
    tieBreaker: metrics.tie_breaker ?? "accuracy",
    specs: Object.fromEntries(specs)
  }
}

/** A setting that may stand nested or flat. */
const nestedOrFlat = <A>(context: ReadContext, nested: Chosen<A> | null, flat: Chosen<A> | null): A | null => {
  if (nested !== null && flat !== null && JSON.stringify(nested.value) !== JSON.stringify(flat.value)) {
    error(context, flat.path, `constraints.${nested.path.slice(1).join(".")} says something else`, "keep one of them")
  }
  return nested?.value ?? flat?.value ?? null
}

export const readConstraints = (context: ReadContext, block: Block<"constraints">): Constraints => {
  const path: Path = ["constraints"]
  const flat = <K extends keyof typeof block & string>(key: K) => choose(context, path, block, [key])
  const privacyPath = [...path, "privacy"]
  const deploymentPath = [...path, "deployment"]
  const privacy = block.privacy ?? {}
  const deployment = block.deployment ?? {}
  const required = choose(context, privacyPath, privacy, ["required", "requirements"])
  const features = choose(context, deploymentPath, deployment, ["required_features", "features"])
  const window = choose(context, deploymentPath, deployment, ["min_context_tokens", "min_context"])
  const unknownCard = choose(context, deploymentPath, deployment, ["allow_unknown_card"])
  const minContext = nestedOrFlat(context, window, flat("min_context_tokens"))
  return {
    minAccuracy: block.min_accuracy ?? null,
    maxErrorRate: block.max_error_rate ?? null,
    maxCostPer1kCallsUsd: block.max_cost_per_1k_calls_usd ?? null,
    maxLatencyP95Ms: block.max_latency_p95_ms ?? null,
    privacyRequired: toList<string>(nestedOrFlat(context, required, flat("privacy_required"))),
    requiredFeatures: toList<string>(nestedOrFlat(context, features, flat("required_features"))),
    minContextTokens: minContext === 0 ? null : minContext,
    allowUnknownCard: nestedOrFlat(context, unknownCard, flat("allow_unknown_card")) ?? true,
    allowUnknown: valueOf(context, path, block, ["allow_unknown"], true)
  }
}
