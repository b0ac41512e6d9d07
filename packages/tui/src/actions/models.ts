import type { PriceCard } from "@agent-arena/core/domain/PriceCard"
import { ageInDays, isStale, staleAfterDays } from "@agent-arena/core/pricing/CatalogueAge"
import { make as makePriceBook, type PriceCatalogue, ShippedCatalogue } from "@agent-arena/core/pricing/PriceBook"
import { columnFormat, count, unknown } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { lines } from "@agent-arena/core/report/TextTable"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ModelsInput } from "../commands/models.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"

/** A model, or a contestant of a project, with what is known of it; null = nothing. */
interface Known {
  readonly key: string
  readonly model: string
  readonly card: PriceCard | null
  /** Whether it has a price list at all: a target of one's own has none. */
  readonly isModel: boolean
}

/** The catalogue, or with a project its contestants under the project's own prices. */
const knownModels = Effect.fnUntraced(function* (input: ModelsInput, catalogue: PriceCatalogue) {
  if (Option.isNone(input.project) && Option.isNone(input.projectFlag)) {
    return Object.entries(catalogue.cards).map(([model, card]): Known => ({ key: model, model, card, isModel: true }))
  }
  const project = yield* loadProject(input)
  const book = makePriceBook(catalogue, project.pricing)
  return project.contestants.map(
    ({ card, key, model, source }): Known => ({
      key,
      model,
      card: book.card(model, card),
      isModel: source._tag === "Model"
    })
  )
})

const price = columnFormat("USD/1k calls")

const toJson = ({ card, key, model }: Known, now: number) => ({
  key,
  model,
  provider: card?.provider ?? null,
  input_usd_per_mtok: card?.inputUsdPerMtok ?? null,
  output_usd_per_mtok: card?.outputUsdPerMtok ?? null,
  cache_read_usd_per_mtok: card?.cacheReadUsdPerMtok ?? null,
  cache_write_usd_per_mtok: card?.cacheWriteUsdPerMtok ?? null,
  context_tokens: card?.contextTokens ?? null,
  max_output_tokens: card?.maxOutputTokens ?? null,
  features: card?.features ?? null,
  source: card?.source ?? null,
  as_of: card?.asOf ?? null,
  age_days: ageInDays(card?.asOf, now)
})

const columns = [
  { heading: "model", min: 12 },
  { heading: "provider", drop: 2 },
  { heading: "in $/Mtok", align: "right" as const },
  { heading: "out $/Mtok", align: "right" as const },
  { heading: "context", align: "right" as const, drop: 1 },
  { heading: "features", min: 12, drop: 4 },
  { heading: "as of", drop: 3 }
]

/** Features that fit beside the prices. */
const featuresShown = 4

const row = ({ card, key, model }: Known) => [
  key === model ? model : `${key} (${model})`,
  card?.provider ?? unknown,
  price(card?.inputUsdPerMtok ?? null),
  price(card?.outputUsdPerMtok ?? null),
  count(card?.contextTokens ?? null),
  card?.features?.slice(0, featuresShown).join(", ") ?? unknown,
  card?.asOf ?? unknown
]

/** What a reader should know before trusting the prices. */
const remarks = (known: ReadonlyArray<Known>, now: number): ReadonlyArray<string> => {
  const unpriced = known.filter(
    ({ card }) => card?.inputUsdPerMtok === undefined || card.outputUsdPerMtok === undefined
  )
  const stale = known.filter(({ card }) => isStale(card?.asOf, now))
  return [
    ...(unpriced.length > 0 ? [`no known price: ${unpriced.map(({ key }) => key).join(", ")}`] : []),
    ...(stale.length > 0
      ? [`older than ${staleAfterDays} days, check before you rely on them: ${stale.map(({ key }) => key).join(", ")}`]
      : [])
  ]
}

/** `arena models`. */
export const listModels = (input: ModelsInput) =>
  Effect.gen(function* () {
    const { stderr, stdout } = yield* Output
    const catalogue = yield* ShippedCatalogue
    const now = yield* Clock.currentTimeMillis
    const known = yield* knownModels(input, catalogue)
    if (input.json) {
      const document = { schema_version: 1, as_of: catalogue.asOf, models: known.map((one) => toJson(one, now)) }
      return yield* stdout.write(`${stringify(document, 2)}\n`)
    }
    const table = lines(columns, known.map(row), { width: stdout.columns, style: stdout.style })
    yield* stdout.write(`${table.join("\n")}\n`)
    for (const remark of remarks(known, now)) yield* stderr.write(`${stderr.style.warn("!")} ${sanitiseLine(remark)}\n`)
  }).pipe(Effect.provide(engine))
