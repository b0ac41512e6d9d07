import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { RunId } from "@agent-arena/core/domain/Ids"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ChildProcess from "./ChildProcess.ts"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const runId = RunId.make("run_child")

const linesUntilEnd = (child: ChildProcess.Child) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    while (true) {
      const next = yield* Effect.option(child.line)
      if (next._tag === "None") return lines
      lines.push(next.value)
    }
  })

const cellNames = Effect.gen(function* () {
  const store = yield* ResultStore
  const results = yield* Stream.runCollect(store.results(runId))
  return new Set(results.map(({ caseId, contestant }) => `${caseId}/${contestant}`))
})

describe("a process that is killed while it writes", () => {
  it.live("has lost nothing that it acknowledged, and its run is told as interrupted", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "results", "arena.db")
      const child = yield* ChildProcess.start("writer.ts", path, runId, "4000")
      assert.strictEqual(yield* child.line, "begun")
      const before = yield* Effect.all(Array.from({ length: 300 }, () => child.line))
      yield* child.signal("SIGKILL")
      const acknowledged = [...before, ...(yield* linesUntilEnd(child))]
      assert.strictEqual(yield* child.exit, "SIGKILL")
      assert.notInclude(acknowledged, "written")
      // Somebody who only looks sees it, too, before anybody has tidied up.
      const seen = yield* Effect.provide(
        ResultStore.use((store) => store.run("latest")),
        ResultStore.layerReadOnly(path)
      )
      assert.strictEqual(seen?.stopReason, "interrupted")
      yield* Effect.gen(function* () {
        const stored = yield* cellNames
        assert.deepStrictEqual(
          acknowledged.filter((cell) => !stored.has(cell)),
          []
        )
        const store = yield* ResultStore
        const told = yield* store.run("latest")
        assert.strictEqual(told?.status, "aborted")
        assert.strictEqual(told?.stopReason, "interrupted")
        assert.strictEqual(told?.counts.finished, stored.size)
        assert.strictEqual(told?.counts.notStarted, 8000 - stored.size)
        assert.deepStrictEqual(told, seen)
        assert.deepStrictEqual(yield* store.recoverDead, [])
      }).pipe(Effect.provide(ResultStore.layer(path)))
    }).pipe(Effect.scoped)
  )
})

describe("a run whose process died", () => {
  it.live("enters the leaderboard log once, whoever opens the store, and however many at a time", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const child = yield* ChildProcess.start("writer.ts", path, runId, "3")
      while ((yield* child.line) !== "written");
      yield* child.signal("SIGKILL")
      yield* child.exit
      const open = Effect.scoped(Layer.build(ResultStore.layer(path)))
      yield* Effect.all([open, open, open, open], { concurrency: "unbounded" })
      yield* open
      const rows = readFileSync(join(dirname(path), "leaderboard.jsonl"), "utf8")
        .trim()
        .split("\n")
      assert.deepStrictEqual(
        rows.map((row) => {
          const { completed_tests, contestant, rank, run_id, run_status, run_stop_reason } = JSON.parse(row)
          return { run_id, contestant, run_status, run_stop_reason, rank, completed_tests }
        }),
        [
          {
            run_id: runId,
            contestant: null,
            run_status: "partial",
            run_stop_reason: "interrupted",
            rank: null,
            completed_tests: 6
          }
        ]
      )
    }).pipe(Effect.scoped)
  )
})

describe("two processes on one database", () => {
  it.live("write their runs at the same time, each whole", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const child = yield* ChildProcess.start("writer.ts", path, runId, "500")
      assert.strictEqual(yield* child.line, "begun")
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const cases = Array.from({ length: 500 }, (_, index) => `case ${index}`)
        const header = headerOf("run_here", rulesOf(["a", "b"], cases))
        const results = cases.flatMap((id) => [resultOf("a", id), resultOf("b", id)])
        const writer = yield* store.begin(header)
        yield* Effect.forEach(results, writer.write, { concurrency: 8, discard: true })
        yield* writer.finish(completedFooter(header))
        assert.deepStrictEqual(yield* Stream.runCollect(store.results(header.record.runId)), results)
        yield* child.closeInput
        assert.strictEqual(yield* child.exit, 0)
        assert.strictEqual((yield* cellNames).size, 1000)
        assert.deepStrictEqual(
          (yield* store.runs({})).map(({ status }) => status),
          ["completed", "completed"]
        )
      }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))
    }).pipe(Effect.scoped)
  )

  it.live("see a run that goes on as running, and cannot take it over", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "arena.db")
      const child = yield* ChildProcess.start("writer.ts", path, runId, "3")
      while ((yield* child.line) !== "written");
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const told = yield* store.run(runId)
        assert.strictEqual(told?.status, "running")
        assert.strictEqual(told?.counts.finished, 6)
        assert.strictEqual(told?.host?.pid, child.pid)
        assert.strictEqual((yield* cellNames).size, 6)
        const header = headerOf(runId, rulesOf(["a", "b"], ["case 0"]))
        const error = yield* Effect.flip(store.begin(header, { resume: true }))
        assert.strictEqual(error.problem, "conflict")
        assert.include(error.message, String(child.pid))
        assert.deepStrictEqual(yield* store.recoverDead, [])
      }).pipe(Effect.scoped, Effect.provide(ResultStore.layer(path)))
      // A reader that never writes sees the same.
      const told = yield* Effect.provide(
        ResultStore.use((store) => store.run("latest")),
        ResultStore.layerReadOnly(path)
      )
      assert.strictEqual(told?.status, "running")
      yield* child.closeInput
      assert.strictEqual(yield* child.exit, 0)
    }).pipe(Effect.scoped)
  )
})
