/** `--dry-run`: what would run, what would be skipped and why, and what it may cost. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { Estimate } from "@agent-arena/core/engine/Estimate"
import type { Readiness } from "@agent-arena/core/engine/Readiness"
import { plural, share, spend, unknown } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { type Layout, lines, wrap } from "@agent-arena/core/report/TextTable"
import type { Earlier } from "./earlier.ts"
import { countToAsk, estimateRest } from "./remaining.ts"

/** What a run would do. */
export interface IntendedRun {
  readonly project: Project
  readonly readiness: Readiness
  /** What it would begin with; null = nothing. */
  readonly earlier: Earlier | null
}

const matrix = ({ cases, contestants, planned, trials }: Readiness): string => {
  const ready = contestants.filter(({ skipped }) => skipped === null).length
  return `${plural(ready, "contestant")} × ${plural(cases, "case")} × ${plural(trials, "trial")} = ${plural(planned, "cell")}`
}

const weights = (project: Project): string => {
  const entries = Object.entries(project.metrics.weights).filter(([, weight]) => weight > 0)
  const sum = entries.reduce((total, [, weight]) => total + weight, 0)
  return entries.map(([metric, weight]) => `${metric} ${share(weight / sum)}`).join(", ")
}

const costOf = ({ contestants }: Estimate, key: string): string =>
  spend(contestants.find((one) => one.key === key)?.usd ?? null)

/** What cannot be known before, and why, a line for each reason. */
const unknownCosts = ({ contestants }: Estimate): ReadonlyArray<string> => {
  const byReason = new Map<string, Array<string>>()
  for (const { key, reason } of contestants) {
    if (reason !== null) byReason.set(reason, [...(byReason.get(reason) ?? []), key])
  }
  return [...byReason].map(([reason, keys]) => `cost not known beforehand of ${keys.join(", ")}: ${reason}`)
}

const total = (cost: Estimate): ReadonlyArray<string> => {
  const known =
    cost.totalUsd === null || cost.totalUsd === 0
      ? []
      : [
          `rough upper bound ${spend(cost.totalUsd)}${cost.unknown.length === 0 ? "" : `, without ${cost.unknown.join(", ")}`}`,
          `assumed: ${cost.assumptions.join("; ")}`
        ]
  return [...known, ...unknownCosts(cost)]
}

const beginning = ({ earlier, readiness }: IntendedRun): ReadonlyArray<string> => {
  if (earlier === null) return []
  const { isResumed, remaining, remarks, run } = earlier
  const what = isResumed ? `goes on with ${run.runId}` : `takes over results of ${run.runId}`
  const asked = countToAsk(readiness, remaining)
  return [`${what}: ${plural(remaining.held, "result")} there, ${plural(asked, "cell")} to ask`, ...remarks]
}

/** The plan for people. */
export const renderPlan = (plan: IntendedRun, layout: Layout): string => {
  const { style, width } = layout
  const { project, readiness } = plan
  const cost = estimateRest(project, readiness, plan.earlier?.remaining ?? null)
  const columns = [
    { heading: "contestant", min: 12 },
    { heading: "model", min: 10, drop: 2 },
    { heading: "provider", drop: 3 },
    { heading: "est. cost", align: "right" as const, drop: 1 },
    { heading: "state", min: 12 }
  ]
  const rows = readiness.contestants.map(({ key, model, provider, skipped }) => [
    key,
    { text: model, emphasis: style.dim },
    provider,
    skipped === null ? costOf(cost, key) : unknown,
    skipped === null ? { text: "ready", emphasis: style.good } : { text: `skipped: ${skipped}`, emphasis: style.warn }
  ])
  return [
    `${style.bold(sanitiseLine(project.name))}  ${matrix(readiness)}`,
    ...wrap(`weights: ${weights(project)}`, width, "  "),
    ...beginning(plan).flatMap((text) => wrap(text, width, "  ")),
    "",
    ...lines(columns, rows, layout),
    "",
    ...total(cost).flatMap((text) => wrap(text, width, "  ")),
    "dry run: nothing was run",
    ""
  ].join("\n")
}

/** The plan as a document. */
export const planToJson = ({ earlier, project, readiness }: IntendedRun): string => {
  const cost = estimateRest(project, readiness, earlier?.remaining ?? null)
  const estimateOf = (key: string) => cost.contestants.find((one) => one.key === key)
  const document = {
    schema_version: 1,
    project: project.name,
    root: project.root,
    n_tests: readiness.cases,
    trials: readiness.trials,
    planned: readiness.planned,
    earlier:
      earlier === null ? null : { run_id: earlier.run.runId, resumed: earlier.isResumed, held: earlier.remaining.held },
    to_ask: countToAsk(readiness, earlier?.remaining ?? null),
    weights: project.metrics.weights,
    contestants: readiness.contestants.map(({ key, label, model, priced, provider, skipped }) => ({
      key,
      display: label,
      model,
      provider,
      skipped,
      priced,
      estimated_cost_usd: estimateOf(key)?.usd ?? null,
      estimate_missing: estimateOf(key)?.reason ?? null
    })),
    estimated_cost_usd: cost.totalUsd,
    unknown_cost: cost.unknown,
    assumptions: cost.assumptions
  }
  return `${stringify(document, 2)}\n`
}
