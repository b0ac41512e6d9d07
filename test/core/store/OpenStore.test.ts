import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as StoreDatabase from "@agent-arena/core/store/StoreDatabase"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const rules = rulesOf(["a"], ["one", "two"])

const failureOf = <A, E>(layer: Layer.Layer<A, E>) => Effect.flip(Effect.scoped(Layer.build(layer)))

const writeRun = (path: string) =>
  Effect.gen(function* () {
    const store = yield* ResultStore
    const header = headerOf("run_1", rules)
    const writer = yield* store.begin(header)
    yield* writer.write(resultOf("a", "one"))
    yield* writer.finish(completedFooter(header))
  }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))

describe("opening the store", () => {
  it.effect("creates the folders on the way to it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "not", "yet", "there.db")
      yield* writeRun(path)
      const run = yield* Effect.provide(
        ResultStore.use((store) => store.run("latest")),
        ResultStore.layer(path)
      )
      assert.strictEqual(run?.runId, "run_1")
    })
  )

  it.effect("says what is wrong with a path, in words", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "file"), "")
      for (const path of [folder, join(folder, "file", "arena.db")]) {
        const error = yield* failureOf(ResultStore.layer(path))
        assert.strictEqual(error.problem, "cannot_open")
        assert.include(error.message, path)
        assert.isNotNull(error.suggestion)
      }
    })
  )

  it.effect("leaves files of other programs alone", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const text = join(folder, "notes.txt")
      writeFileSync(text, "this is not a database, but it is long enough to look at ".repeat(20))
      const other = join(folder, "other.db")
      const db = new DatabaseSync(other)
      db.exec("CREATE TABLE bookmarks (url TEXT)")
      db.close()
      for (const path of [text, other]) {
        const before = readFileSync(path)
        for (const layer of [ResultStore.layer(path), ResultStore.layerReadOnly(path)]) {
          const error = yield* failureOf(layer)
          assert.strictEqual(error.problem, "foreign")
        }
        assert.deepStrictEqual(readFileSync(path), before)
      }
    })
  )

  it.effect("refuses a database of a newer version", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* writeRun(path)
      const db = new DatabaseSync(path)
      db.exec("INSERT INTO arena_migrations (migration_id, name) VALUES (9999, 'from_the_future')")
      db.close()
      for (const layer of [ResultStore.layer(path), ResultStore.layerReadOnly(path)]) {
        const error = yield* failureOf(layer)
        assert.strictEqual(error.problem, "newer_version")
        assert.include(error.message, "9999")
      }
    })
  )

  it.effect("says that a damaged file is damaged", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* writeRun(path)
      const bytes = readFileSync(path)
      bytes.fill(0xff, 2048)
      writeFileSync(path, bytes)
      const error = yield* Effect.flip(
        Effect.provide(
          ResultStore.use((store) => store.run("latest")),
          ResultStore.layer(path)
        )
      )
      assert.strictEqual(error.problem, "corrupt")
    })
  )

  it.effect("upgrades a database from every older version", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* Effect.scoped(Layer.build(StoreDatabase.layer(path, 0)))
      yield* writeRun(path)
      const run = yield* Effect.provide(
        ResultStore.use((store) => store.run("latest")),
        ResultStore.layer(path)
      )
      assert.strictEqual(run?.status, "completed")
    })
  )

  it.effect("names things for a person with the sqlite3 shell", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* writeRun(path)
      const db = new DatabaseSync(path, { readOnly: true })
      const [row] = db.prepare("SELECT run_id, case_id, contestant, trial, output, started_at FROM results_view").all()
      const ranking = db.prepare("SELECT run_id, contestant, rank FROM rankings_view").all()
      db.close()
      assert.deepEqual(row, {
        run_id: "run_1",
        case_id: "one",
        contestant: "a",
        trial: 1,
        output: "a says one",
        started_at: "2026-03-01T10:00:00.000Z"
      })
      assert.deepEqual(ranking, [{ run_id: "run_1", contestant: "a", rank: 1 }])
    })
  )
})

describe("opening it for reading", () => {
  it.effect("says that there is nothing yet, and does not create it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const error = yield* failureOf(ResultStore.layerReadOnly(join(folder, "arena.db")))
      assert.strictEqual(error.problem, "missing")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.effect("upgrades a database of an older program first", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* Effect.scoped(Layer.build(StoreDatabase.layer(path, 1)))
      const runs = yield* Effect.provide(
        ResultStore.use((store) => store.runs({})),
        ResultStore.layerReadOnly(path)
      )
      assert.deepStrictEqual(runs, [])
      yield* writeRun(path)
    })
  )

  it.effect("reads everything and writes nothing", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* writeRun(path)
      const before = readFileSync(path)
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        assert.strictEqual((yield* store.run("latest"))?.status, "completed")
        const error = yield* Effect.flip(store.begin(headerOf("run_2", rules)))
        assert.strictEqual(error.problem, "read_only")
      }).pipe(Effect.scoped, Effect.provide(ResultStore.layerReadOnly(path)))
      assert.deepStrictEqual(readFileSync(path), before)
    })
  )
})

describe("a database that another program has locked", () => {
  const lock = (path: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const db = new DatabaseSync(path)
        db.exec("BEGIN IMMEDIATE")
        return db
      }),
      (db) => Effect.sync(() => db.close())
    )

  it.live("is waited for, while everything else goes on", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const writer = yield* store.begin(headerOf("run_1", rules))
        const db = yield* lock(path)
        const fiber = yield* Effect.forkChild(writer.write(resultOf("a", "one")), { startImmediately: true })
        // Other fibers run, and readers read, while it waits.
        for (let reads = 0; reads < 20; reads++) assert.isNotNull(yield* store.run("latest"))
        assert.isUndefined(fiber.pollUnsafe())
        db.exec("COMMIT")
        yield* Fiber.join(fiber)
      }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))
    })
  )

  it.effect("is given up in the end; the result goes to a side file and is not lost", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const header = headerOf("run_1", rules)
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const writer = yield* store.begin(header)
        const db = yield* lock(path)
        const fiber = yield* Effect.forkChild(Effect.flip(writer.write(resultOf("a", "one"))), {
          startImmediately: true
        })
        yield* Effect.repeat(TestClock.adjust("1 second"), { times: 40 })
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(error.problem, "locked")
        assert.include(error.message, "spill.jsonl")
        db.exec("COMMIT")
        yield* writer.finish(completedFooter(header))
      }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))
      const found = yield* Effect.provide(
        ResultStore.use((store) => store.result(header.record.runId, resultOf("a", "one"))),
        ResultStore.layer(path)
      )
      assert.deepStrictEqual(found, resultOf("a", "one"))
    })
  )
})
