import type { TokenUsage } from "@agent-arena/core/domain/Generation"
import { callCost } from "@agent-arena/core/pricing/CallCost"
import { assert, describe, it } from "@effect/vitest"

const usage = (counts: Partial<TokenUsage>): TokenUsage => ({
  prompt: null,
  completion: null,
  cachedRead: null,
  cachedWrite: null,
  reasoning: null,
  ...counts
})
const card = { inputUsdPerMtok: 3, outputUsdPerMtok: 15, cacheReadUsdPerMtok: 0.3, cacheWriteUsdPerMtok: 3.75 }
const near = (actual: number | null, expected: number) => {
  assert.isNotNull(actual)
  assert.closeTo(actual ?? Number.NaN, expected, 1e-12)
}

describe("callCost", () => {
  it("multiplies tokens by prices per million", () => {
    near(callCost(card, usage({ prompt: 1000, completion: 200 })), 0.006)
  })

  it("bills each token of the prompt once, cached ones at their own price", () => {
    // 1000 - 600 - 100 = 300 at 3, 600 at 0.3, 100 at 3.75
    near(callCost(card, usage({ prompt: 1000, completion: 0, cachedRead: 600, cachedWrite: 100 })), 0.001455)
  })

  it("bills cached tokens as input when the card has no price for them", () => {
    const plain = { inputUsdPerMtok: 3, outputUsdPerMtok: 15 }
    near(callCost(plain, usage({ prompt: 1000, completion: 0, cachedRead: 600 })), 0.003)
  })

  it("bills reasoning as output, or at its own price where there is one", () => {
    near(callCost(card, usage({ prompt: 0, completion: 1000, reasoning: 800 })), 0.015)
    near(callCost({ ...card, reasoningUsdPerMtok: 5 }, usage({ prompt: 0, completion: 1000, reasoning: 800 })), 0.007)
  })

  it("takes the tier that the length of the prompt reaches", () => {
    const tiered = {
      ...card,
      promptTiers: [
        { aboveTokens: 500_000, inputUsdPerMtok: 9 },
        { aboveTokens: 200_000, inputUsdPerMtok: 6, outputUsdPerMtok: 22.5 }
      ]
    }
    near(callCost(tiered, usage({ prompt: 200_000, completion: 1000 })), 0.615)
    near(callCost(tiered, usage({ prompt: 200_001, completion: 1000 })), 1.222506)
    near(callCost(tiered, usage({ prompt: 600_000, completion: 1000 })), 5.415)
    assert.isNull(callCost(tiered, usage({ completion: 1000 })))
  })

  it("is unknown for a prompt longer than the prices hold for", () => {
    const limited = { ...card, pricedPromptTokens: 1000 }
    near(callCost(limited, usage({ prompt: 1000, completion: 0 })), 0.003)
    assert.isNull(callCost(limited, usage({ prompt: 1001, completion: 0 })))
    assert.isNull(callCost(limited, usage({ completion: 0 })))
  })

  it("is unknown when a price or a count that matters is unknown", () => {
    assert.isNull(callCost(null, usage({ prompt: 1, completion: 1 })))
    assert.isNull(callCost({ inputUsdPerMtok: 3 }, usage({ prompt: 1, completion: 1 })))
    assert.isNull(callCost(card, usage({ prompt: 1 })))
    assert.isNull(callCost(card, usage({ completion: 1 })))
  })

  it("is unknown when the counts contradict each other", () => {
    assert.isNull(callCost(card, usage({ prompt: 10, completion: 1, cachedRead: 11 })))
    assert.isNull(callCost(card, usage({ prompt: -1, completion: 1 })))
  })

  it("is 0 for a model that is free, whatever was counted", () => {
    assert.strictEqual(callCost({ inputUsdPerMtok: 0, outputUsdPerMtok: 0 }, usage({})), 0)
  })
})
