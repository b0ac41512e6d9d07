import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { RunId } from "@agent-arena/core/domain/Ids"
import { newerThan } from "@agent-arena/core/store/ResultReader"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { type ResultCursor, ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ChildProcess from "./ChildProcess.ts"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const nameOf = ({ caseId, contestant, score }: CallResult): string => `${contestant}/${caseId} ${score}`

/** Everything after a cursor, page by page. */
const readOn = Effect.fnUntraced(function* (id: RunId, from: ResultCursor | null) {
  const store = yield* ResultStore
  const names: Array<string> = []
  let cursor = from
  while (true) {
    const page = yield* store.resultsAfter(id, cursor)
    if (page === null) return { names, cursor }
    names.push(...page.results.map(({ result }) => nameOf(result)))
    cursor = page.cursor
    if (!page.more) return { names, cursor }
  }
})

const inFile = Effect.map(temporaryFolder, (folder) => join(folder, "arena.db"))

describe("new results", () => {
  it.effect("are those written since, each once", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rulesOf(["a"], ["t1", "t2", "t3"]))
      const { runId } = header.record
      const writer = yield* store.begin(header)
      const nothing = yield* readOn(runId, null)
      assert.deepStrictEqual(nothing.names, [])
      yield* writer.write(resultOf("a", "t3", 1, { score: 1 }))
      const first = yield* readOn(runId, nothing.cursor)
      assert.deepStrictEqual(first.names, ["a/t3 1"])
      yield* writer.write(resultOf("a", "t1", 1, { score: 0 }))
      const second = yield* readOn(runId, first.cursor)
      assert.deepStrictEqual(second.names, ["a/t1 0"])
      assert.deepStrictEqual((yield* readOn(runId, second.cursor)).names, [])
      assert.isNull(yield* store.resultsAfter(RunId.make("run_0"), null))
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("include what replaces a result, wherever that stands in the table", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const header = headerOf("run_1", rulesOf(["a"], ["t1", "t2"]))
      const { runId } = header.record
      const writer = yield* store.begin(header)
      yield* writer.write(resultOf("a", "t1", 1, { score: 0 }))
      yield* writer.write(resultOf("a", "t2", 1, { score: 0 }))
      yield* writer.finish(completedFooter(header))
      const resumed = yield* store.begin(header, { resume: true })
      const before = yield* readOn(runId, null)
      assert.lengthOf(before.names, 2)
      yield* resumed.write(resultOf("a", "t1", 1, { score: 1 }))
      const once = yield* readOn(runId, before.cursor)
      assert.deepStrictEqual(once.names, ["a/t1 1"])
      // The one that stands last has no row behind it that could be told from it.
      yield* resumed.write(resultOf("a", "t2", 1, { score: 1 }))
      assert.deepStrictEqual((yield* readOn(runId, once.cursor)).names, ["a/t2 1"])
      assert.deepStrictEqual((yield* readOn(runId, null)).names, ["a/t1 1", "a/t2 1"])
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("include what replaces a result that was taken over from another run", () =>
    Effect.gen(function* () {
      const store = yield* ResultStore
      const reuse = yield* ResultReuse
      const old = headerOf("run_1", rulesOf(["a"], ["t1"]))
      const first = yield* store.begin(old)
      yield* first.write(resultOf("a", "t1", 1, { score: 0 }))
      yield* first.finish(completedFooter(old))
      const header = headerOf("run_2", rulesOf(["a"], ["t1"]))
      const { runId } = header.record
      const writer = yield* store.begin(header)
      yield* reuse.copy({ from: old.record.runId, into: runId, keepErrors: false })
      const copied = yield* readOn(runId, null)
      assert.deepStrictEqual(copied.names, ["a/t1 0"])
      yield* writer.write(resultOf("a", "t1", 1, { score: 1 }))
      assert.deepStrictEqual((yield* readOn(runId, copied.cursor)).names, ["a/t1 1"])
    }).pipe(Effect.scoped, Effect.provide(ResultStore.layerMemory))
  )

  it.effect("are all results again when the run was resumed or the file was rewritten", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const header = headerOf("run_1", rulesOf(["a"], ["t1", "t2"]))
        const { runId } = header.record
        const writer = yield* store.begin(header)
        yield* writer.write(resultOf("a", "t1"))
        yield* writer.write(resultOf("a", "t2"))
        const read = yield* readOn(runId, null)
        const db = new DatabaseSync(path)
        db.exec("VACUUM")
        db.close()
        const again = yield* readOn(runId, read.cursor)
        assert.lengthOf(again.names, 2)
        yield* writer.finish(completedFooter(header))
        yield* store.begin(header, { resume: true })
        assert.lengthOf((yield* readOn(runId, again.cursor)).names, 2)
      }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))
    }).pipe(Effect.scoped)
  )

  it.live("are found without going through the run", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.provide(
        ResultStore.use((store) => store.run("latest")),
        ResultStore.layer(path)
      )
      const db = new DatabaseSync(path, { readOnly: true })
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${newerThan}`).all(1, 0)
      db.close()
      const steps = plan.map((row) => String(row["detail"]))
      assert.include(steps, "SEARCH r USING INTEGER PRIMARY KEY (rowid>?)")
      assert.isTrue(steps.every((step) => !step.includes("TEMP B-TREE") && !/^SCAN (r|c)\b/.test(step)))
    }).pipe(Effect.scoped)
  )

  it.live("miss nothing and repeat nothing while another process writes", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      const id = RunId.make("run_child")
      const child = yield* ChildProcess.start("writer.ts", path, id, "1000")
      assert.strictEqual(yield* child.line, "begun")
      yield* child.closeInput
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const names: Array<string> = []
        let reads = 0
        let cursor: ResultCursor | null = null
        let alive = true
        while (alive) {
          const pulse = yield* store.pulse(id)
          alive = pulse?.liveness === "alive"
          const read: { names: ReadonlyArray<string>; cursor: ResultCursor | null } = yield* readOn(id, cursor)
          if (read.names.length > 0) reads += 1
          names.push(...read.names)
          cursor = read.cursor
          yield* Effect.sleep("2 millis")
        }
        assert.lengthOf(names, 2000)
        assert.strictEqual(new Set(names).size, 2000)
        assert.isAbove(reads, 2)
      }).pipe(Effect.provide(ResultStore.layerReadOnly(path)))
    }).pipe(Effect.scoped)
  )
})
