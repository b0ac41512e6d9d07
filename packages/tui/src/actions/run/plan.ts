/** `--dry-run`: what would run, what would be skipped and why, and what it may cost. */
import type { Project } from "@agent-arena/core/domain/Project"
import { type Estimate, estimate } from "@agent-arena/core/engine/Estimate"
import type { Readiness } from "@agent-arena/core/engine/Readiness"
import { plural, share, spend, unknown } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { type Layout, lines, wrap } from "@agent-arena/core/report/TextTable"

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

const total = (cost: Estimate): ReadonlyArray<string> => {
  if (cost.totalUsd === null || cost.totalUsd === 0) return []
  const rest =
    cost.unknown.length === 0 ? "" : `, without ${cost.unknown.join(", ")} whose cost cannot be known beforehand`
  return [`rough upper bound ${spend(cost.totalUsd)}${rest}`, `assumed: ${cost.assumptions.join("; ")}`]
}

/** The plan for people. */
export const renderPlan = (project: Project, readiness: Readiness, layout: Layout): string => {
  const { style, width } = layout
  const cost = estimate(project, readiness)
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
    "",
    ...lines(columns, rows, layout),
    "",
    ...total(cost).flatMap((text) => wrap(text, width, "  ")),
    "dry run: nothing was run",
    ""
  ].join("\n")
}

/** The plan as a document. */
export const planToJson = (project: Project, readiness: Readiness): string => {
  const cost = estimate(project, readiness)
  const document = {
    schema_version: 1,
    project: project.name,
    root: project.root,
    n_tests: readiness.cases,
    trials: readiness.trials,
    planned: readiness.planned,
    weights: project.metrics.weights,
    contestants: readiness.contestants.map(({ key, label, model, priced, provider, skipped }) => ({
      key,
      display: label,
      model,
      provider,
      skipped,
      priced,
      estimated_cost_usd: cost.contestants.find((one) => one.key === key)?.usd ?? null
    })),
    estimated_cost_usd: cost.totalUsd,
    unknown_cost: cost.unknown,
    assumptions: cost.assumptions
  }
  return `${stringify(document, 2)}\n`
}
