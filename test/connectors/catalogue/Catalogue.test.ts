import { layer } from "@agent-arena/connectors/Connectors"
import { catalogue } from "@agent-arena/connectors/catalogue/Catalogue"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import * as PriceBook from "@agent-arena/core/pricing/PriceBook"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const book = PriceBook.make(catalogue, { cards: {}, aliases: {} })

it("every card has its prices, its date and the page it was read from", () => {
  for (const [model, card] of Object.entries(catalogue.cards)) {
    expect(card.source, model).toMatch(/^https:\/\//)
    expect(card.asOf, model).toBe(catalogue.asOf)
    for (const price of [card.inputUsdPerMtok, card.outputUsdPerMtok]) expect(price, model).toBeGreaterThan(0)
    expect(card.outputUsdPerMtok, model).toBeGreaterThan(card.inputUsdPerMtok ?? 0)
    if (card.cacheReadUsdPerMtok !== undefined) expect(card.cacheReadUsdPerMtok).toBeLessThan(card.inputUsdPerMtok ?? 0)
  }
})

it("every alias leads to a card, and hides none", () => {
  for (const [alias, model] of Object.entries(catalogue.aliases)) {
    expect(Object.keys(catalogue.cards), alias).toContain(model)
    expect(Object.keys(catalogue.cards)).not.toContain(alias)
  }
})

it("a call is priced by hand-checkable arithmetic", () => {
  const usage = { ...unknownUsage, prompt: 2_000_000, completion: 1_000_000 }
  expect(PriceBook.callCost(book.card("claude-sonnet-5", null), usage)).toBeCloseTo(2 * 3 + 15)
  expect(PriceBook.callCost(book.card("gpt-4o-mini-2024-07-18", null), usage)).toBeCloseTo(2 * 0.15 + 0.6)
  const cached = { ...usage, cachedRead: 1_000_000 }
  expect(PriceBook.callCost(book.card("gpt-5-mini", null), cached)).toBeCloseTo(0.25 + 0.025 + 2)
})

it("a model that is not in it has no price, wherever it is served", () => {
  for (const model of ["qwen3:8b", "local", "llama-3.3-70b-versatile", "gpt-4o-2024-05-13"]) {
    expect(book.card(model, null)).toBeNull()
  }
})

it.effect("comes with the connectors", () =>
  Effect.gen(function* () {
    expect(yield* Effect.service(PriceBook.ShippedCatalogue)).toBe(catalogue)
  }).pipe(Effect.provide(layer))
)
