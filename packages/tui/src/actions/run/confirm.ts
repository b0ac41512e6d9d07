import type { Project } from "@agent-arena/core/domain/Project"
import { Arena } from "@agent-arena/core/engine/Arena"
import { spend } from "@agent-arena/core/report/Figures"
import * as Effect from "effect/Effect"
import { confirm } from "../confirmation.ts"
import { estimateRest, type Remaining } from "./remaining.ts"

/** Why the run may cost more than it should without asking; null = it may start. */
const reasonToAsk = (limit: number, totalUsd: number | null, unpriced: ReadonlyArray<string>): string | null => {
  const above = `budgets.confirm_above_usd (${spend(limit)})`
  if (totalUsd !== null && totalUsd > limit) return `this run may cost up to ${spend(totalUsd)}, more than ${above}`
  if (unpriced.length === 0) return null
  return `this run may cost more than ${above}: no price is known of ${unpriced.join(", ")}`
}

/**
 * Asks before a run that may cost more than `budgets.confirm_above_usd`, or whose models include one without a price;
 * without a terminal it refuses unless told `--yes`. A target says what it costs only with its answers, so it does not
 * make anybody ask.
 */
export const confirmSpend = Effect.fnUntraced(function* (
  project: Project,
  remaining: Remaining | null,
  { json, yes }: { readonly json: boolean; readonly yes: boolean }
) {
  const limit = project.budgets.confirmAboveUsd
  if (limit === null || yes) return
  const readiness = yield* Arena.check(project)
  const { contestants, totalUsd } = estimateRest(project, readiness, remaining)
  const isAsked = (key: string) => contestants.some((one) => one.key === key && one.calls > 0)
  const unpriced = readiness.contestants.filter(
    ({ key, priced, provider, skipped }) => priced === false && skipped === null && provider !== "mock" && isAsked(key)
  )
  const what = reasonToAsk(
    limit,
    totalUsd,
    unpriced.map(({ key }) => key)
  )
  if (what === null) return
  yield* confirm({ what, ask: "Run it?", otherwise: "--max-run-usd stops a run at a price", yes, json })
})
