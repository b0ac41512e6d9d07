import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunId } from "@agent-arena/core/domain/Ids"
import * as LocalProcess from "@agent-arena/core/store/LocalProcess"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Spill from "@agent-arena/core/store/Spill"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const rules = rulesOf(["a", "b"], ["one", "two"])
const header = headerOf("run_1", rules)
const { runId } = header.record

const opened = <A, E>(path: string, effect: Effect.Effect<A, E, ResultStore>) =>
  Effect.provide(effect, ResultStore.layer(path))

const results = (id: RunId) => Effect.flatMap(ResultStore, (store) => Stream.runCollect(store.results(id)))

/** Leaves a run that has one result and was interrupted. */
const begun = Effect.gen(function* () {
  const store = yield* ResultStore
  yield* Effect.scoped(Effect.flatMap(store.begin(header), (writer) => writer.write(resultOf("a", "one"))))
})

describe("a side file", () => {
  it.effect("is taken in once, and removed; a line that was cut off is left out", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* opened(path, begun)
      const late = resultOf("b", "two", 1, { output: "kept aside \ud800" })
      const file = Spill.keep(path, runId, [{ runId, segment: 1, result: late }])
      assert.isNotNull(file)
      appendFileSync(file ?? "", '{"runId":"run_1","segm')
      for (let times = 0; times < 2; times++) {
        assert.deepStrictEqual(yield* opened(path, results(runId)), [resultOf("a", "one"), late])
        assert.isFalse(existsSync(file ?? ""))
      }
    })
  )

  it.live("is kept when a record in it is not understood, or its run is not in this database", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "arena.db")
      yield* opened(path, begun)
      const late = resultOf("b", "two")
      const file = Spill.keep(path, runId, [{ runId, segment: 1, result: late }]) ?? assert.fail("nothing was kept")
      const foreign = '{"runId":"run_1","segment":1,"result":{"of":"a later version"}}\n'
      appendFileSync(file, foreign)
      assert.deepStrictEqual(yield* opened(path, results(runId)), [resultOf("a", "one"), late])
      const kept = () => readdirSync(folder).filter((name) => name.endsWith(".unread"))
      const [aside = ""] = kept()
      assert.include(readFileSync(join(folder, aside), "utf8"), foreign)

      // The database was moved away and begun anew: what it could not take is not thrown away with it.
      Spill.keep(path, runId, [{ runId, segment: 1, result: late }])
      for (const name of ["arena.db", "arena.db-wal", "arena.db-shm"]) rmSync(join(folder, name), { force: true })
      assert.deepStrictEqual(yield* opened(path, results(runId)), [])
      assert.lengthOf(Spill.files(path), 0)
      assert.isNotEmpty(kept().filter((name) => readFileSync(join(folder, name), "utf8").includes('"two"')))
    })
  )

  it.effect("brings the ending of a run that could not write it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      // A run whose process is gone: nobody has ended it.
      const host = { ...(yield* LocalProcess.current), pid: 2 ** 30 }
      const dead = headerOf("run_1", rules, { record: { host } })
      yield* opened(
        path,
        Effect.gen(function* () {
          const store = yield* ResultStore
          const scope = yield* Scope.make()
          yield* Scope.provide(store.begin(dead), scope)
          Spill.keep(path, runId, [{ runId, segment: 1, footer: completedFooter(dead) }])
        })
      )
      yield* opened(
        path,
        Effect.gen(function* () {
          const store = yield* ResultStore
          assert.strictEqual((yield* store.run(runId))?.status, "completed")
          assert.deepStrictEqual(yield* store.leaderboard(runId), completedFooter(dead).leaderboard)
        })
      )
    })
  )

  it.effect("is left alone while its run goes on", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const alive = headerOf("run_1", rules, { record: { host: yield* LocalProcess.current } })
      yield* opened(
        path,
        Effect.gen(function* () {
          const store = yield* ResultStore
          const writer = yield* store.begin(alive)
          const file = Spill.keep(path, runId, [{ runId, segment: 1, result: resultOf("a", "one") }])
          assert.deepStrictEqual(yield* opened(path, results(runId)), [])
          assert.isTrue(existsSync(file ?? ""))
          yield* writer.finish(completedFooter(alive))
        }).pipe(Effect.scoped)
      )
      assert.lengthOf(yield* opened(path, results(runId)), 1)
    })
  )

  it.effect("never replaces what a later part of the run has measured", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const newer = resultOf("a", "one", 1, { output: "newer" })
      yield* opened(
        path,
        Effect.gen(function* () {
          yield* begun
          const store = yield* ResultStore
          yield* Effect.scoped(Effect.flatMap(store.begin(header, { resume: true }), (writer) => writer.write(newer)))
        })
      )
      Spill.keep(path, runId, [{ runId, segment: 1, result: resultOf("a", "one", 1, { output: "older" }) }])
      assert.deepStrictEqual(yield* opened(path, results(runId)), [newer])
    })
  )

  it.effect("is written for a result that the database refuses, or the error says that it is lost", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "results", "arena.db")
      const broken = resultOf("b", "two", 1, { durationMs: Number.NaN })
      yield* opened(
        path,
        Effect.gen(function* () {
          const store = yield* ResultStore
          const writer = yield* store.begin(header)
          const kept = yield* Effect.flip(writer.write(broken))
          assert.include(kept.message, "b / two / trial 1")
          assert.isTrue(existsSync(Spill.files(path)[0] ?? ""))
          yield* withoutRoom(folder, path)
          const lost = yield* Effect.flip(writer.write(broken))
          assert.include(lost.message, "b / two / trial 1 IS LOST")
        }).pipe(Effect.scoped)
      )
    })
  )
})

/** Takes away the folder of the database, and the one for temporary files, until the test ends. */
const withoutRoom = (folder: string, path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["TMPDIR"]
      rmSync(join(path, ".."), { recursive: true })
      writeFileSync(join(folder, "file"), "")
      process.env["TMPDIR"] = join(folder, "file")
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
      })
  )
