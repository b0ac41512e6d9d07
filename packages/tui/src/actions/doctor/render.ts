import type { Project } from "@agent-arena/core/domain/Project"
import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { format } from "@agent-arena/core/domain/SourcePosition"
import { ageInDays, isStale } from "@agent-arena/core/pricing/CatalogueAge"
import { count, latency, plural, spend, unknown } from "@agent-arena/core/report/Figures"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { Style } from "@agent-arena/core/report/Style"
import type { Examination, Examined, LiveCall } from "./examine.ts"
import { isJudge } from "./probe.ts"

/** Where results would go. `problem` = why they cannot. */
export interface DatabaseState {
  readonly path: string
  readonly problem: string | null
}

export interface Diagnosis extends Examination {
  readonly database: DatabaseState
  /** Unix epoch ms. */
  readonly now: number
}

/** A model that thinks may spend the few tokens of the call on thinking: it answered all the same. */
const answered = (live: LiveCall): boolean =>
  live !== null && (live.status === "ok" || live.error?.reason === "truncated")

const isWell = ({ live, skipped }: Examined): boolean => skipped === null && (live === undefined || answered(live))

/** Whether everything that is enabled would run. */
export const allWell = ({ contestants, database, problems }: Diagnosis): boolean =>
  problems.length === 0 && database.problem === null && contestants.every(isWell)

const price = ({ card, model, priced }: Examined, now: number): string => {
  if (priced === null) return "its answers tell what they cost, if anything does"
  if (priced === false) return `no price is known: add pricing.models.${JSON.stringify(model)} to the config`
  if (card?.asOf === undefined) return "its price is known"
  const age = ageInDays(card.asOf, now)
  return `its price is known as of ${card.asOf}${isStale(card.asOf, now) ? ` (${age} days old: check it)` : ""}`
}

const liveText = (live: LiveCall): string => {
  if (live === null) return "a call to it left no result"
  if (!answered(live)) return `a call to it failed: ${live.error?.message ?? "for an unknown reason"}`
  const { completion, prompt } = live.usage
  const tokens = prompt === null && completion === null ? "" : `, ${count(prompt)} + ${count(completion)} tokens`
  const cost = live.costUsd === null ? "" : `, ${spend(live.costUsd)}`
  const served = live.servedModel === null ? "" : `, served by ${live.servedModel}`
  return `answered in ${live.latencyMs === null ? unknown : latency(live.latencyMs)}${tokens}${cost}${served}`
}

const contestantLines = (one: Examined, now: number, style: Style): ReadonlyArray<string> => {
  const name = isJudge(one) ? "the judge" : one.key
  const head = `${sanitiseLine(name)}  ${style.dim(sanitiseLine(`${one.model}, ${one.provider}`))}`
  if (one.skipped !== null) return [`${style.bad("✗")} ${head}`, `    ${sanitiseLine(one.skipped)}`]
  const called = one.live === undefined ? [] : [liveText(one.live)]
  const mark = isWell(one) ? style.good("✓") : style.bad("✗")
  return [`${mark} ${head}`, ...[price(one, now), ...called].map((text) => `    ${style.dim(sanitiseLine(text))}`)]
}

const issueLine = ({ message, position, suggestion }: ProjectIssue): string =>
  sanitiseLine(`${format(position)}  ${message}${suggestion === null ? "" : ` (${suggestion})`}`)

/** The examination for people: everything that would run, and what to do about what would not. */
export const render = (project: Project, diagnosis: Diagnosis, style: Style): string => {
  const { contestants, database, now, problems, warnings } = diagnosis
  const disabled = project.contestants.filter(({ enabled }) => !enabled)
  const ill = contestants.filter((one) => !isWell(one)).length
  const well = contestants.length - ill
  return [
    `${style.good("✓")} ${sanitiseLine(project.configFile)}`,
    ...(problems.length === 0 ? [`${style.good("✓")} ${plural(project.cases.length, "case")} and their scorers`] : []),
    ...problems.map((issue) => `${style.bad("✗")} ${issueLine(issue)}`),
    ...warnings.map((issue) => `${style.warn("!")} ${issueLine(issue)}`),
    ...contestants.flatMap((one) => contestantLines(one, now, style)),
    ...disabled.map(({ key }) => `${style.dim("·")} ${sanitiseLine(key)}  ${style.dim("disabled")}`),
    database.problem === null
      ? `${style.good("✓")} results in ${sanitiseLine(database.path)}`
      : `${style.bad("✗")} results cannot be kept in ${sanitiseLine(database.path)}: ${sanitiseLine(database.problem)}`,
    "",
    `${well} would run${ill > 0 ? `, ${ill} would not` : ""}`,
    ""
  ].join("\n")
}

const liveToJson = (live: LiveCall) =>
  live === null
    ? { ok: false, error: "no result", latency_ms: null, input_tokens: null, output_tokens: null, cost_usd: null }
    : {
        ok: answered(live),
        error: live.error?.message ?? null,
        latency_ms: live.latencyMs,
        input_tokens: live.usage.prompt,
        output_tokens: live.usage.completion,
        cost_usd: live.costUsd,
        served_model: live.servedModel
      }

const contestantToJson = (one: Examined, now: number) => ({
  key: isJudge(one) ? null : one.key,
  role: isJudge(one) ? "judge" : "contestant",
  model: one.model,
  provider: one.provider,
  ready: one.skipped === null,
  reason: one.skipped,
  priced: one.priced,
  price_source: one.card?.source ?? null,
  price_as_of: one.card?.asOf ?? null,
  price_age_days: ageInDays(one.card?.asOf, now),
  live: one.live === undefined ? null : liveToJson(one.live)
})

const issueToJson = ({ message, position, suggestion }: ProjectIssue) => ({ ...position, message, suggestion })

/** The examination as a document. */
export const toJson = (project: Project, diagnosis: Diagnosis) => ({
  schema_version: 1,
  project: project.name,
  ok: allWell(diagnosis),
  contestants: diagnosis.contestants.map((one) => contestantToJson(one, diagnosis.now)),
  disabled: project.contestants.flatMap(({ enabled, key }) => (enabled ? [] : [key])),
  problems: diagnosis.problems.map(issueToJson),
  warnings: diagnosis.warnings.map(issueToJson),
  database: diagnosis.database
})
