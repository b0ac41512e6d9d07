import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Connectors from "@agent-arena/connectors/Connectors"
import { Arena } from "@agent-arena/core/engine/Arena"
import { coreArena } from "@agent-arena/tui/src/app/arena/CoreArena.ts"
import { Failed, Pass, Queued, Running } from "@agent-arena/tui/src/app/run/CellState.ts"
import { finishedCells } from "@agent-arena/tui/src/app/run/Fold.ts"
import { makeOpenRun, type OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { countOf } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { follow } from "@agent-arena/tui/src/app/runtime/Follow.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "../../../core/store/ChildProcess.ts"

const runner = new URL("../../../core/engine/live/runner.ts", import.meta.url)

/** Answers as the case says: at once, never, only when a file appears, or not the first time. */
const target = `import { existsSync } from "node:fs"
export const answer = async (_prompt, { caseId, params, signal }) => {
  if (caseId.startsWith("quick")) return { output: "yes" }
  if (caseId.startsWith("broken") && !existsSync(params.gate + ".mended")) throw new Error("out of order")
  while (!existsSync(params.gate)) {
    if (signal?.aborted) throw new Error("aborted")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { output: "yes" }
}
`

interface Setup {
  readonly cases: ReadonlyArray<string>
  readonly retries?: number
  readonly concurrency?: number
}

const workshop = ({ cases, concurrency = 8, retries = 3 }: Setup) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-attached-"))
      const config = {
        project: "attached",
        targets: [{ key: "one", run: "target.mjs:answer", params: { gate: join(folder, "gate") } }],
        budgets: { max_run_usd: 5, allow_unpriced: true },
        run: { concurrency, retries, retry_backoff_s: 60, drain_s: 7, term_drain_s: 0.5 }
      }
      writeFileSync(join(folder, "config.json"), JSON.stringify(config))
      const tests = cases.map((id) => ({ id, input: "say yes", expected: "yes" }))
      writeFileSync(join(folder, "tests.json"), JSON.stringify(tests))
      writeFileSync(join(folder, "target.mjs"), target)
      return { folder, openGate: Effect.sync(() => writeFileSync(join(folder, "gate"), "")) }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const engine = Layer.mergeAll(Arena.layer, Connectors.layer)
const test = <A, E>(effect: Effect.Effect<A, E, Arena | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(engine))

interface Watched {
  readonly run: OpenRun
  /** Waits until the predicate holds. */
  readonly until: (holds: (run: OpenRun) => boolean) => Effect.Effect<void>
  /** Waits until everything about the ended run is known. */
  readonly end: Effect.Effect<unknown>
}

/** Opens the newest run as a screen of another process does. */
const attach = (folder: string) =>
  Effect.gen(function* () {
    const arena = yield* coreArena({ path: folder })
    const [record] = yield* arena.runs
    if (record === undefined) throw new Error("no run")
    const run = makeOpenRun(yield* arena.open(record))
    const waiting = new Set<{ readonly holds: () => boolean; readonly done: Deferred.Deferred<void> }>()
    const changed = () => {
      for (const one of waiting) if (one.holds()) Deferred.doneUnsafe(one.done, Effect.void)
    }
    const fiber = yield* Effect.forkScoped(Effect.orDie(follow(run, changed)))
    const watched: Watched = {
      run,
      until: (holds) =>
        Effect.gen(function* () {
          const done = yield* Deferred.make<void>()
          waiting.add({ holds: () => holds(run), done })
          changed()
          yield* Deferred.await(done)
        }),
      end: Fiber.join(fiber)
    }
    return watched
  })

const logOf = ({ model }: OpenRun): string => model.log.entries.map(({ text }) => text).join("\n")
const countIn = ({ model }: OpenRun, state: number): number => countOf(model.total, state)

describe("a run of another process", () => {
  it.live("is shown with what is in flight, its retries, its pauses, and what it may spend", () =>
    test(
      Effect.gen(function* () {
        const { folder, openGate } = yield* workshop({ cases: ["quick", "broken", "slow1", "slow2"] })
        const child = yield* ChildProcess.start(runner, folder)
        yield* child.line
        const { end, run, until } = yield* attach(folder)
        expect(run.source.facts.kind).toBe("attached")
        expect(run.source.controls).toBeNull()
        expect(run.source.remote).toBeUndefined()
        yield* until((seen) => countIn(seen, Running) === 3 && countIn(seen, Pass) === 1)
        expect(logOf(run)).toContain("attempt 1 failed, again in")
        expect(run.model.retries).toBe(1)
        expect(run.source.facts).toMatchObject({ budgetUsd: 5, drainMs: 7000, termDrainMs: 500 })
        yield* child.say("pause")
        yield* until(({ model }) => model.phase === "paused")
        yield* child.say("resume")
        yield* until(({ model }) => model.phase === "running")
        yield* openGate
        yield* until((seen) => countIn(seen, Pass) === 3)
        expect(countIn(run, Running)).toBe(1)
        yield* child.say("stop")
        yield* until(({ model }) => model.phase === "stopping")
        yield* child.signal("SIGKILL")
        yield* end
      })
    )
  )

  it.live("ends as interrupted when its process dies, and what it left behind is not believed", () =>
    test(
      Effect.gen(function* () {
        const { folder } = yield* workshop({ cases: ["quick", "slow"] })
        const child = yield* ChildProcess.start(runner, folder)
        const id = yield* child.line
        const { end, run, until } = yield* attach(folder)
        yield* until((seen) => countIn(seen, Running) === 1)
        yield* child.signal("SIGKILL")
        yield* end
        expect(run.model.ending).toMatchObject({ status: "aborted", stopReason: "interrupted" })
        expect([countIn(run, Pass), countIn(run, Running), countIn(run, Queued)]).toEqual([1, 0, 1])
        expect(existsSync(join(folder, "results", `.live-${id}.json`))).toBe(true)
        const again = yield* attach(folder)
        yield* again.end
        expect(again.run.source.facts.kind).toBe("past")
        expect(countIn(again.run, Running)).toBe(0)
      })
    )
  )

  it.live("that goes on with an earlier part begins with that part, and shows as open what is asked again", () =>
    test(
      Effect.gen(function* () {
        const { folder, openGate } = yield* workshop({ cases: ["quick", "slow", "broken"], retries: 0 })
        const first = yield* ChildProcess.start(runner, folder)
        const id = yield* first.line
        const before = yield* attach(folder)
        yield* before.until((seen) => countIn(seen, Failed) === 1 && countIn(seen, Running) === 1)
        yield* first.signal("SIGKILL")
        yield* before.end
        writeFileSync(join(folder, "gate.mended"), "")
        const second = yield* ChildProcess.start(runner, folder, id)
        yield* second.line
        const { end, run, until } = yield* attach(folder)
        expect(run.model.startedAt).toBeGreaterThan(before.run.model.startedAt)
        // What failed before is open again, what was answered is not.
        yield* until((seen) => countIn(seen, Running) === 2 && countIn(seen, Pass) === 1)
        expect(countIn(run, Failed)).toBe(0)
        yield* openGate
        yield* end
        expect(run.model.ending).toMatchObject({ status: "completed" })
        expect(countIn(run, Pass)).toBe(3)
        expect((run.model.finishedAt ?? 0) - run.model.startedAt).toBeGreaterThan(0)
      })
    )
  )

  it.live("of ten thousand cells is read once, in pieces, and is whole at its end", () =>
    test(
      Effect.gen(function* () {
        const cases = Array.from({ length: 9_990 }, (_, index) => `quick${index}`)
        const { folder, openGate } = yield* workshop({ cases: [...cases, "slow"], concurrency: 16 })
        const child = yield* ChildProcess.start(runner, folder)
        yield* child.line
        const { end, run, until } = yield* attach(folder)
        yield* until((seen) => finishedCells(seen.model.total) === 9_990 && countIn(seen, Running) === 1)
        yield* openGate
        yield* end
        expect(countIn(run, Pass)).toBe(9_991)
        expect(run.final).toBe(true)
      })
    )
  )
})
