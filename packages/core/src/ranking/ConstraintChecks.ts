import { feature, privacyFact } from "../domain/Capability.ts"
import type { EntryStats } from "../domain/Leaderboard.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { Constraints } from "../domain/Settings.ts"
import { apart, epsilon, list, ms, percent, usd } from "./Figures.ts"

/** What the constraints are held against; null = unknown. */
export interface Facts {
  readonly card: PriceCard | null
  readonly stats: EntryStats
  readonly accuracy: number | null
  readonly costPer1kUsd: number | null
  readonly latencyP95Ms: number | null
}

/** `failures` disqualify; `unverified` are constraints that nothing could be said about. */
export interface Findings {
  readonly failures: ReadonlyArray<string>
  readonly unverified: ReadonlyArray<string>
}

type Finding = { readonly failure: string } | { readonly unverified: string } | null

type Figure = (value: number, digits: number) => string

const above = (name: string, value: number | null, limit: number | null, figure: Figure, digits: number): Finding => {
  if (limit === null) return null
  if (value === null)
    return { unverified: `${name} limit of ${figure(limit, digits)} not verified: ${name} is unknown` }
  if (value <= limit + epsilon) return null
  const [shown, allowed] = apart(value, limit, figure, digits)
  return { failure: `${name} ${shown} is above the allowed ${allowed}` }
}

const below = (value: number | null, floor: number | null): Finding => {
  if (floor === null) return null
  if (value === null) return { unverified: `accuracy floor of ${percent(floor, 1)} not verified: no answer was scored` }
  if (value >= floor - epsilon) return null
  const [shown, required] = apart(value, floor, percent, 1)
  return { failure: `accuracy ${shown} is below the required ${required}` }
}

/** What the measured cells say. A contestant of which nothing was measured is judged elsewhere. */
const measured = (constraints: Constraints, facts: Facts): ReadonlyArray<Finding> => {
  const { attempted, errors, timedOut } = facts.stats
  const errorRate = attempted === 0 ? null : (errors + timedOut) / attempted
  return [
    below(facts.accuracy, constraints.minAccuracy),
    above("error rate", errorRate, constraints.maxErrorRate, percent, 1),
    above("cost per 1,000 calls", facts.costPer1kUsd, constraints.maxCostPer1kCallsUsd, usd, 2),
    above("latency p95", facts.latencyP95Ms, constraints.maxLatencyP95Ms, ms, 0)
  ]
}

const missingFeatures = (card: PriceCard, required: ReadonlyArray<string>): Finding => {
  const offered = new Set((card.features ?? []).map(feature))
  const missing = required.map(feature).filter((name) => !offered.has(name))
  return missing.length === 0 ? null : { failure: `missing feature: ${list(missing)}` }
}

const missingPrivacy = (card: PriceCard, required: ReadonlyArray<string>): Finding => {
  const declared = new Map(Object.entries(card.privacy ?? {}).map(([name, value]) => [privacyFact(name), value]))
  const missing = required.map(privacyFact).filter((name) => declared.get(name) !== true)
  if (missing.length === 0) return null
  const told = missing.map((name) =>
    declared.get(name) === false ? `${name} (declared false)` : `${name} (not declared)`
  )
  return { failure: `privacy not met: ${list(told)}` }
}

const tooSmall = (card: PriceCard, required: number | null): Finding => {
  if (required === null || required <= 0) return null
  const context = card.contextTokens
  if (context === undefined) return { unverified: `context of ${required} tokens not verified: its size is unknown` }
  return context >= required ? null : { failure: `context of ${context} tokens is below the required ${required}` }
}

const onCard = (constraints: Constraints, card: PriceCard | null): ReadonlyArray<Finding> => {
  const { allowUnknownCard, minContextTokens, privacyRequired, requiredFeatures } = constraints
  if (card !== null) {
    return [
      missingFeatures(card, requiredFeatures),
      missingPrivacy(card, privacyRequired),
      tooSmall(card, minContextTokens)
    ]
  }
  if (!allowUnknownCard)
    return [{ failure: "nothing is known about this model (no card), and allow_unknown_card is false" }]
  const asked = [
    ...(requiredFeatures.length > 0 ? ["features"] : []),
    ...(privacyRequired.length > 0 ? ["privacy"] : []),
    ...((minContextTokens ?? 0) > 0 ? ["context"] : [])
  ]
  return asked.length === 0
    ? []
    : [{ unverified: `required ${list(asked)} not verified: nothing is known about this model (no card)` }]
}

/** Holds a contestant against every constraint and collects all findings. Thresholds allow for 1e-9. */
export const check = (constraints: Constraints, facts: Facts): Findings => {
  const findings = [
    ...onCard(constraints, facts.card),
    ...(facts.stats.attempted > 0 ? measured(constraints, facts) : [])
  ]
  const failures = findings.flatMap((finding) => (finding !== null && "failure" in finding ? [finding.failure] : []))
  const unverified = findings.flatMap((finding) =>
    finding !== null && "unverified" in finding ? [finding.unverified] : []
  )
  return constraints.allowUnknown
    ? { failures, unverified }
    : { failures: [...failures, ...unverified.map((text) => `${text}, and allow_unknown is false`)], unverified: [] }
}
