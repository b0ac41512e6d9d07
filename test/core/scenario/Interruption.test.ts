import { AnswerCache } from "@agent-arena/core/scenario/cache/AnswerCache"
import type { Combo } from "@agent-arena/core/scenario/executor/Combo"
import { RequestCap } from "@agent-arena/core/scenario/executor/RequestCap"
import { runBatch, type WorkerResources } from "@agent-arena/core/scenario/executor/ScenarioExecutor"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play } from "@agent-arena/core/scenario/play/Play"
import type { Respond, TurnAnswer } from "@agent-arena/core/scenario/play/PlayContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { answer, compiledOf } from "./plays.ts"

const compiled = compiledOf(`
scenario: three
entry: a
nodes:
  a: { prompt: "A?", verify: { contains: ok } }
  b: { prompt: "B?", verify: { contains: ok }, retries: 1 }
  c: { prompt: "C?", verify: { contains: ok } }
edges: [{ from: a, to: b }, { from: b, to: c, handover: transcript_prepend }]
`)

/** An answer that takes a few steps. */
const slowly: Respond = () => Effect.as(Effect.repeat(Effect.yieldNow, { times: 2 }), answer("ok"))

const allPoints = Array.from({ length: 40 }, (_, index) => index)

const afterSteps = Effect.fnUntraced(function* <A, E>(steps: number, effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let step = 0; step < steps; step++) yield* Effect.yieldNow
  yield* Fiber.interrupt(fiber)
  return fiber
})

describe("an interruption at any point", () => {
  it.effect("leaves no answer reserved and no permit taken", () =>
    Effect.gen(function* () {
      for (const point of allPoints) {
        const cache = new AnswerCache<TurnAnswer>()
        const cap = Semaphore.makeUnsafe(1)
        const one = play(
          compiled,
          plainContext({
            scenario: "three",
            contestant: "ans",
            respond: slowly,
            cache,
            permit: (effect) => cap.withPermits(1)(effect)
          })
        )
        yield* afterSteps(point, Effect.all([one, one, one], { concurrency: "unbounded" }))
        assert.deepStrictEqual(cache.reserved, [], `after ${point} steps`)
        const free = yield* cap.withPermitsIfAvailable(1)(Effect.void)
        assert.isTrue(Option.isSome(free), `after ${point} steps`)
        // What was answered before is still there: nothing is asked for that somebody has.
        const whole = yield* one
        assert.deepStrictEqual([whole.status, whole.path], ["completed", ["a", "b", "c"]])
      }
    })
  )

  it.effect("leaves no scope of a worker open, and no permit of the cap around it", () =>
    Effect.gen(function* () {
      for (const point of allPoints) {
        const open = new Set<number>()
        let opened = 0
        const resources = Effect.acquireRelease(
          Effect.map(Effect.yieldNow, (): WorkerResources & { readonly id: number } => {
            opened += 1
            open.add(opened)
            return { respond: slowly, id: opened }
          }),
          ({ id }) => Effect.sync(() => open.delete(id))
        )
        const cap = Semaphore.makeUnsafe(2)
        const combos = [0, 1, 2, 3].map((replicate): Combo => ({ compiled, contestant: "ans", judge: null, replicate }))
        const batch = Effect.provideService(runBatch(combos, { open: resources, maxWorkers: 3 }), RequestCap, cap)
        yield* afterSteps(point, batch)
        assert.strictEqual(open.size, 0, `after ${point} steps`)
        const free = yield* cap.withPermitsIfAvailable(2)(Effect.void)
        assert.isTrue(Option.isSome(free), `after ${point} steps`)
      }
    })
  )
})
