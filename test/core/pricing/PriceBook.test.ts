import * as PriceBook from "@agent-arena/core/pricing/PriceBook"
import { assert, describe, it } from "@effect/vitest"

const catalogue: PriceBook.PriceCatalogue = {
  asOf: "2026-09-02",
  cards: {
    "claude-sonnet-4-5": { provider: "anthropic", inputUsdPerMtok: 3, outputUsdPerMtok: 15, cacheReadUsdPerMtok: 0.3 },
    "gpt-5": { provider: "openai", inputUsdPerMtok: 1.25, outputUsdPerMtok: 10, contextTokens: 400_000 },
    "deepseek-r1": { inputUsdPerMtok: 0.55, outputUsdPerMtok: 2.19 }
  },
  aliases: { "claude-sonnet-latest": "claude-sonnet-4-5", "gpt-5-2025-08-07": "gpt-5" }
}
const nothing = { cards: {}, aliases: {} }
const book = PriceBook.make(catalogue, nothing)

describe("PriceBook.card", () => {
  it.each([
    "claude-sonnet-4-5",
    "claude-sonnet-latest",
    "claude-sonnet-4-5-20250929",
    "claude-sonnet-4-5@20250929",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-sonnet-latest",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"
  ])("finds the shipped card of %s", (model) => {
    assert.strictEqual(book.card(model, null)?.inputUsdPerMtok, 3)
  })

  it("knows nothing about a model that nobody listed, whoever serves it", () => {
    for (const model of ["llama3.1:8b", "local", "openai/other", "ollama/qwen2.5", "toString", "__proto__"]) {
      assert.isNull(book.card(model, null), model)
    }
  })

  it("does not lend a shipped price to a variant behind a colon", () => {
    assert.isNull(book.card("deepseek-r1:7b", null))
    assert.isNull(book.card("gpt-5:free", null))
  })

  it("lets a project's own card speak for every variant", () => {
    const own = PriceBook.make(catalogue, { cards: { "qwen2.5": { inputUsdPerMtok: 0.1 } }, aliases: {} })
    assert.deepStrictEqual(own.card("qwen2.5:7b", null), { inputUsdPerMtok: 0.1 })
    assert.isNull(book.card("qwen2.5:7b", null))
  })

  it("layers catalogue, project and the contestant's own card field by field", () => {
    const priced = PriceBook.make(catalogue, {
      cards: { "gpt-5": { inputUsdPerMtok: 1 }, "gpt-5-2025-08-07": { outputUsdPerMtok: 8 } },
      aliases: {}
    })
    assert.deepStrictEqual(priced.card("gpt-5-2025-08-07", { notes: "negotiated", outputUsdPerMtok: 7 }), {
      provider: "openai",
      inputUsdPerMtok: 1,
      outputUsdPerMtok: 7,
      contextTokens: 400_000,
      notes: "negotiated"
    })
    assert.strictEqual(priced.card("gpt-5-2025-08-07", null)?.outputUsdPerMtok, 8)
    assert.strictEqual(priced.card("gpt-5", null)?.outputUsdPerMtok, 10)
  })

  it("does not hang shipped cache and long-prompt prices on a price of the project's own", () => {
    const shipped = {
      inputUsdPerMtok: 3,
      outputUsdPerMtok: 15,
      cacheReadUsdPerMtok: 0.3,
      reasoningUsdPerMtok: 20,
      promptTiers: [{ aboveTokens: 200_000, inputUsdPerMtok: 6 }],
      contextTokens: 1_000_000
    }
    const tiered = (own: Readonly<Record<string, number>>) =>
      PriceBook.make({ ...catalogue, cards: { m: shipped } }, { cards: { m: own }, aliases: {} }).card("m", null)
    assert.deepStrictEqual(tiered({ inputUsdPerMtok: 0 }), {
      inputUsdPerMtok: 0,
      outputUsdPerMtok: 15,
      reasoningUsdPerMtok: 20,
      contextTokens: 1_000_000
    })
    assert.deepStrictEqual(tiered({ outputUsdPerMtok: 9 }), {
      inputUsdPerMtok: 3,
      outputUsdPerMtok: 9,
      cacheReadUsdPerMtok: 0.3,
      contextTokens: 1_000_000
    })
    assert.strictEqual(tiered({ maxOutputTokens: 9 })?.cacheReadUsdPerMtok, 0.3)
  })

  it("prefers a project's alias to a shipped one", () => {
    const aliased = PriceBook.make(catalogue, { cards: {}, aliases: { "claude-sonnet-latest": "gpt-5" } })
    assert.strictEqual(aliased.card("claude-sonnet-latest", null)?.inputUsdPerMtok, 1.25)
  })

  it("ends on aliases that point at each other", () => {
    const circle = PriceBook.make(catalogue, { cards: {}, aliases: { a: "b", b: "a" } })
    assert.isNull(circle.card("a", null))
  })

  it("keeps two contestants on one model apart by their own cards", () => {
    assert.strictEqual(book.card("gpt-5", { inputUsdPerMtok: 0.9 })?.inputUsdPerMtok, 0.9)
    assert.strictEqual(book.card("gpt-5", null)?.inputUsdPerMtok, 1.25)
    assert.deepStrictEqual(book.card("file.ts:answer", { inputUsdPerMtok: 2 }), { inputUsdPerMtok: 2 })
  })

  it("knows the mock as free, private and able, unless a card says otherwise", () => {
    const card = book.card("mock:small", null)
    assert.strictEqual(card?.inputUsdPerMtok, 0)
    assert.strictEqual(card?.privacy?.["dpa"], true)
    assert.include(card?.features ?? [], "function_calling")
    assert.strictEqual(book.card("mock:small", { inputUsdPerMtok: 5 })?.inputUsdPerMtok, 5)
    assert.isNull(book.card("openai/mock:small", null))
  })
})
