import { readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const header = headerOf("run_1", rulesOf(["a"], ["one", "two"]))

/** Writes two results and the end of the run; something happens to the file in between. Returns what failed. */
const writeWhile = (path: string, happens: () => void, restMs: number) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const writer = yield* store.begin(header)
    yield* writer.write(resultOf("a", "one"))
    happens()
    yield* TestClock.adjust(restMs)
    const second = yield* Effect.result(writer.write(resultOf("a", "two")))
    const end = yield* Effect.result(writer.finish(completedFooter(header)))
    return [second, end].flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
  }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))

const stored = (path: string) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const results = yield* Stream.runCollect(store.results(header.record.runId))
    return { status: (yield* store.run("latest"))?.status, cases: results.map(({ caseId }) => String(caseId)) }
  }).pipe(Effect.provide(ResultStore.layer(path)))

const everything = { status: "completed" as const, cases: ["one", "two"] }

describe("a database file that disappears while a run writes to it", () => {
  it.effect.each([
    ["with the files beside it", ["", "-wal", "-shm"]],
    ["alone", [""]]
  ] as const)("deleted %s, is noticed, and is put back with all it held", ([, endings]) =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const remove = () => {
        for (const ending of endings) rmSync(`${path}${ending}`)
      }
      const failures = yield* writeWhile(path, remove, 1_000)
      assert.deepStrictEqual(
        failures.map(({ problem }) => problem),
        ["missing", "missing"]
      )
      assert.include(failures[0]?.message, "spill.jsonl")
      assert.deepStrictEqual(yield* stored(path), everything)
    })
  )

  it.effect("deleted with its folder, is noticed at the end of the run at the latest", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryFolder, "results")
      const path = join(folder, "arena.db")
      const failures = yield* writeWhile(path, () => rmSync(folder, { recursive: true }), 0)
      assert.deepStrictEqual(
        failures.map(({ problem }) => problem),
        ["missing"]
      )
      assert.deepStrictEqual(yield* stored(path), everything)
    })
  )

  it.effect("replaced by another one, leaves that alone and keeps its own beside it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "arena.db")
      const other = join(folder, "other.db")
      yield* Effect.provide(
        Effect.scoped(ResultStore.use((store) => store.begin(headerOf("run_2", header.rules)))),
        ResultStore.layer(other)
      )
      const replace = () => {
        for (const rest of ["-wal", "-shm"]) rmSync(`${path}${rest}`)
        renameSync(other, path)
      }
      yield* writeWhile(path, replace, 1_000)
      const saved = readdirSync(folder).find((name) => /^arena\.db\.saved-\d+$/.test(name))
      assert.isDefined(saved)
      assert.deepStrictEqual(yield* stored(join(folder, saved ?? "")), everything)
      assert.deepStrictEqual(yield* stored(path), { status: "failed", cases: [] })
    })
  )
})
