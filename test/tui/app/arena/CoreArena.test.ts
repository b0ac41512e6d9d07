import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Connectors from "@agent-arena/connectors/Connectors"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import { Arena } from "@agent-arena/core/engine/Arena"
import { coreArena } from "@agent-arena/tui/src/app/arena/CoreArena.ts"
import { Interrupted, isFinished } from "@agent-arena/tui/src/app/run/CellState.ts"
import { finishedCells } from "@agent-arena/tui/src/app/run/Fold.ts"
import { makeOpenRun, type OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { countOf } from "@agent-arena/tui/src/app/run/RunModel.ts"
import type { RunSource } from "@agent-arena/tui/src/app/run/RunSource.ts"
import { follow } from "@agent-arena/tui/src/app/runtime/Follow.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

const config = (latency: string) => `project: screen_test
models:
  - { key: right, model: "mock:right", params: { mode: oracle${latency} } }
  - { key: half, model: "mock:half", params: { mode: flaky, accuracy: 50${latency} } }
  - { key: closed, model: "gpt-nowhere", api_key_env: NO_SUCH_VARIABLE }
run: { trials: 2, concurrency: 4, drain_s: 2 }
`

const tests = Array.from(
  { length: 12 },
  (_, index) => `- { id: c${index}, input: "q ${index}", expected: "a ${index}", tags: [t${index % 3}] }`
)

const folder = (latency = "") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "arena-screen-"))
      writeFileSync(join(path, "config.yaml"), config(latency))
      writeFileSync(join(path, "tests.yaml"), `${tests.join("\n")}\n`)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const everything = { contestants: ["right", "half"], tags: [], trials: 2, concurrency: 4 }

/** Follows a source to the end of its run. */
const followed = (source: RunSource): Effect.Effect<OpenRun> =>
  Effect.gen(function* () {
    const run = makeOpenRun(source)
    yield* Effect.orDie(follow(run, () => undefined))
    return run
  })

const engine = Layer.mergeAll(Arena.layer, Connectors.layer)
const test = <A, E>(effect: Effect.Effect<A, E, Arena | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(engine))

/** Completes when the predicate holds, checked whenever the model changed. */
const when = (run: OpenRun, holds: (run: OpenRun) => boolean) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const changed = () => {
      if (holds(run)) Deferred.doneUnsafe(reached, Effect.void)
    }
    const fiber = yield* Effect.forkChild(Effect.orDie(follow(run, changed)))
    yield* Deferred.await(reached)
    return fiber
  })

describe("the arena behind the screen", () => {
  it.live("tells who can run, and starts what was chosen", () =>
    test(
      Effect.gen(function* () {
        const arena = yield* coreArena({ path: yield* folder() })
        const facts = yield* arena.project
        expect(facts.candidates.map(({ key, skipped }) => [key, skipped === null])).toEqual([
          ["right", true],
          ["half", true],
          ["closed", false]
        ])
        const source = yield* arena.start({ ...everything, contestants: ["right"], tags: ["t1"], trials: 3 })
        const run = yield* followed(source)
        expect(run.model.ending).toMatchObject({ status: "completed" })
        expect(finishedCells(run.model.total)).toBe(12)
        expect(run.model.contestants.map(({ key }) => key)).toEqual(["right"])
        expect(run.final).toBe(true)
      })
    )
  )

  it.live("shows a run of the past exactly as it was shown while it went on", () =>
    test(
      Effect.gen(function* () {
        const arena = yield* coreArena({ path: yield* folder() })
        const live = yield* followed(yield* arena.start(everything))
        const [record] = yield* arena.runs
        if (record === undefined) throw new Error("no run")
        const past = yield* followed(yield* arena.open(record))
        expect([...past.model.states]).toEqual([...live.model.states])
        expect(past.model.total).toEqual(live.model.total)
        expect(past.leaderboard).toEqual(live.leaderboard)
        const cell = { contestant: ContestantKey.make("half"), caseId: CaseId.make("c3"), trial: 2 }
        const [inLive, inPast] = [yield* live.source.result(cell), yield* past.source.result(cell)]
        expect(inPast).toEqual(inLive)
        expect(inPast?.caseId).toBe("c3")
        expect(past.source.testCase("c3")?.reference).toBe("a 3")
      })
    )
  )

  it.live("ranks an ended run anew under other weights, with a verdict of its own", () =>
    test(
      Effect.gen(function* () {
        const arena = yield* coreArena({ path: yield* folder() })
        const run = yield* followed(yield* arena.start(everything))
        const { rules } = run.source.facts
        const board = yield* run.source.rank(
          { ...rules, metrics: { ...rules.metrics, weights: { latency: 1 } } },
          "full"
        )
        expect(Object.keys(board?.weights ?? {})).toEqual(["latency"])
        expect(board?.complete).toBe(true)
      })
    )
  )

  it.live("stops gracefully, keeps what is finished, and goes on later with the rest", () =>
    test(
      Effect.gen(function* () {
        const arena = yield* coreArena({ path: yield* folder(", latency_ms: 40, sleep: true") })
        const source = yield* arena.start(everything)
        const run = makeOpenRun(source)
        const following = yield* when(run, ({ model }) => finishedCells(model.total) >= 8)
        yield* source.controls?.stop("cancelled") ?? Effect.void
        yield* Fiber.join(following)
        const done = finishedCells(run.model.total)
        expect(run.model.ending).toMatchObject({ status: "partial", stopReason: "cancelled" })
        expect(done).toBeGreaterThanOrEqual(8)
        expect(done + countOf(run.model.total, Interrupted)).toBeLessThan(48)

        const [record] = yield* arena.runs
        if (record === undefined || arena.resume === null) throw new Error("nothing to resume")
        const resumed = yield* followed(yield* arena.resume(record))
        expect(resumed.model.ending).toMatchObject({ status: "completed" })
        expect(finishedCells(resumed.model.total)).toBe(48)
        expect([...resumed.model.states].every(isFinished)).toBe(true)
      })
    )
  )

  it.live("watches a run of another process through the store", () =>
    test(
      Effect.gen(function* () {
        const path = yield* folder(", latency_ms: 60, sleep: true")
        const here = yield* coreArena({ path })
        const there = yield* coreArena({ path })
        const started = yield* here.start(everything)
        const running = yield* Effect.forkChild(followed(started))
        const [record] = yield* there.runs
        if (record === undefined) throw new Error("no run")
        expect(record.status).toBe("running")
        const source = yield* there.open(record)
        expect(source.facts.kind).toBe("attached")
        expect(source.controls).toBeNull()
        const watched = yield* followed(source)
        const live = yield* Fiber.join(running)
        expect([...watched.model.states]).toEqual([...live.model.states])
        expect(watched.model.ending).toMatchObject({ status: "completed" })
      })
    )
  )

  it.live("tells in the words of the system why reports were not written", () =>
    test(
      Effect.gen(function* () {
        const path = yield* folder()
        const file = join(path, "tests.yaml")
        const files = yield* FileSystem.FileSystem
        const arena = yield* coreArena({ path, writeReports: () => Effect.as(files.makeDirectory(file), file) })
        const live = yield* followed(yield* arena.start(everything))
        const { message } = yield* Effect.flip(arena.exportReports(live.model.id))
        expect(message).toContain("The reports were not written: EEXIST")
        expect(message).toContain(file)
        expect(message).not.toContain("FileSystem")
      }).pipe(Effect.provide(NodeServices.layer))
    )
  )

  it.live("tells all problems of a broken project, and that there are no runs yet", () =>
    test(
      Effect.gen(function* () {
        const path = yield* folder()
        const arena = yield* coreArena({ path })
        expect(yield* arena.runs).toEqual([])
        writeFileSync(join(path, "config.yaml"), config("").replace("models:", "modles:"))
        const problems = yield* Effect.flip(arena.project)
        expect(problems.issues.some(({ message }) => message.includes("modles"))).toBe(true)
      })
    )
  )
})
