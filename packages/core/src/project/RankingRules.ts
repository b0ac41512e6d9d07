import type { Contestant } from "../domain/Contestant.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { Project, RankedContestant, RankingRules } from "../domain/Project.ts"

const targetProviders = { Callable: "callable", Command: "command", Url: "url", Inline: "inline" } as const

/** The provider as far as the config alone can tell; preflight knows better. */
const providerOf = <R>(contestant: Contestant<R>, project: Pick<Project<R>, "providers">): string => {
  const { source } = contestant
  if (source._tag !== "Model") return targetProviders[source._tag]
  const profile = project.providers.find(({ id }) => id === source.provider)
  return profile?.kind ?? source.provider ?? (/^mock(?:$|[:-])/.test(source.model) ? "mock" : "unknown")
}

const cardOf = <R>(contestant: Contestant<R>, project: Pick<Project<R>, "pricing">): PriceCard | null => {
  const { cards } = project.pricing
  const shared = Object.hasOwn(cards, contestant.model) ? cards[contestant.model] : undefined
  return shared === undefined && contestant.card === null ? null : { ...shared, ...contestant.card }
}

/** What ranking needs of a project: its enabled contestants, its cases, its settings. Nothing is skipped in it yet. */
export const make = <R>(project: Omit<Project<R>, "rules">): RankingRules => ({
  metrics: project.metrics,
  constraints: project.constraints,
  statistics: project.statistics,
  contestants: project.contestants
    .filter(({ enabled }) => enabled)
    .map(
      (contestant): RankedContestant => ({
        key: contestant.key,
        label: contestant.label,
        model: contestant.model,
        provider: providerOf(contestant, project),
        card: cardOf(contestant, project),
        skipped: null
      })
    ),
  cases: project.cases.map(({ id, weight, tags }) => ({ id, weight, tags })),
  trials: project.run.trials
})
