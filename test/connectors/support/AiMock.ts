import type { MockServerOptions } from "@copilotkit/aimock"
import { LLMock } from "@copilotkit/aimock"
import * as Effect from "effect/Effect"

/** A server that speaks the protocols of many providers, for as long as the scope lives. */
export const start = (options: MockServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const mock = new LLMock({ port: 0, ...options })
      await mock.start()
      return mock
    }),
    (mock) => Effect.promise(() => mock.stop())
  )

/** The JSON body of the last request, as the provider's client sent it (before aimock normalised it). */
export const lastHeaders = (mock: LLMock): Readonly<Record<string, string>> => mock.getLastRequest()?.headers ?? {}
