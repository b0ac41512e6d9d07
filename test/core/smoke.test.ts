import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

describe("x", () => {
  it.effect("y", () => Effect.sync(() => assert.strictEqual(1, 1)))
})
