import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { RunId } from "@agent-arena/core/domain/Ids"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { temporaryFolder } from "./TemporaryFolder.ts"

interface Told {
  readonly writes: ReadonlyArray<{ readonly problem: string; readonly message: string } | null>
  readonly finished: boolean
}

const program = fileURLToPath(new URL("programs/full-disk.ts", import.meta.url))

/** The system lets no file of the process grow beyond `kib`, which is as final as a full disk, and needs no privilege. */
const runWithLittleRoom = (path: string, results: number, kib: number): Told =>
  JSON.parse(
    execFileSync(
      "bash",
      ["-c", `ulimit -f ${kib}; exec "$@"`, "bash", process.execPath].concat([
        "--conditions=agent-arena-source",
        "--no-warnings",
        program,
        path,
        String(results)
      ]),
      { encoding: "utf8" }
    )
  )

describe("a run that outgrows the disk", () => {
  it.effect("loses no result: what the database refuses is taken in when it is opened next", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "arena.db")
      const count = 120
      const told = runWithLittleRoom(path, count, 1024)
      const failures = told.writes.filter((write) => write !== null)
      assert.isAbove(failures.length, 0)
      assert.isBelow(failures.length, count)
      for (const { problem, message } of failures) {
        assert.include(["disk_full", "io"], problem)
        assert.include(message, "spill.jsonl")
      }
      yield* Effect.gen(function* () {
        const store = yield* ResultStore
        const read = yield* Stream.runCollect(store.results(RunId.make("run_full")))
        assert.lengthOf(read, count)
        assert.isTrue(read.every(({ output }) => output?.length === 12_000))
        assert.strictEqual((yield* store.run("latest"))?.status, "completed")
      }).pipe(Effect.provide(ResultStore.layer(path)))
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.includes("spill")),
        []
      )
    })
  )
})
