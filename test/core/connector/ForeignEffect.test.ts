import { copyFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { installEffectCopy, temporaryFolder } from "./folders.ts"
import { callableConfig, cellOf, echoInner, readyConnector, requestOf } from "./requests.ts"

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/targets/${name}`, import.meta.url))

/** A project whose targets run on a copy of `effect` of its own. */
const project = Effect.tap(temporaryFolder(), (folder) =>
  Effect.sync(() => {
    installEffectCopy(folder)
    for (const name of ["effects.ts", "blocking.ts"]) copyFileSync(fixture(name), join(folder, name))
  })
)

const call = (root: string, name: string, cell: Parameters<typeof cellOf>[0] = {}, params = {}, blocking = false) =>
  Effect.flatMap(readyConnector(callableConfig("effects.ts", name, { root, blocking })), (connector) =>
    connector.generate(requestOf("hello", { params }), cellOf(cell))
  )

describe("Effects of another copy of the package", () => {
  it.live("run, fail, recover and make inner calls on that copy", () =>
    Effect.gen(function* () {
      const root = yield* project
      const copy: { readonly succeed: unknown } = createRequire(join(root, "effects.ts"))("effect/Effect")
      assert.notStrictEqual(copy.succeed, Effect.succeed)

      assert.strictEqual((yield* call(root, "answer")).text, "effect: hello")
      assert.strictEqual(
        (yield* call(root, "revise", { generate: echoInner })).text,
        "writer says hello and editor says hello"
      )
      assert.strictEqual((yield* call(root, "recovers")).text, "recovered")
      const failed = yield* Effect.flip(call(root, "fails"))
      assert.deepStrictEqual([failed.reason, failed.detail], ["target", "SearchFailed: the index is gone"])
      const died = yield* Effect.flip(call(root, "dies"))
      assert.deepStrictEqual([died.reason, died.detail], ["target", "a defect"])
    })
  )

  it.live("are interrupted with the cell", () =>
    Effect.gen(function* () {
      const root = yield* project
      const started = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const params = {
        started: () => Deferred.doneUnsafe(started, Effect.void),
        stopped: () => Deferred.doneUnsafe(stopped, Effect.void)
      }
      const fiber = yield* Effect.forkChild(call(root, "waits", {}, params))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(stopped)
    })
  )

  it.live("run in a worker thread, too", () =>
    Effect.gen(function* () {
      const root = yield* project
      const answer = yield* call(root, "revise", { generate: echoInner }, {}, true)
      assert.strictEqual(answer.text, "writer says hello and editor says hello")
    })
  )
})
