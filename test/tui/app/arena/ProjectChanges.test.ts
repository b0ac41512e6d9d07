import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { projectChanges } from "@agent-arena/tui/src/app/arena/ProjectChanges.ts"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-changes-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** What is heard of a path; taking waits for the next burst. */
const heard = (path: string) =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<void>()
    yield* Effect.forkScoped(Stream.runForEach(projectChanges(path), () => Queue.offer(queue, undefined)))
    // Watching begins before anything is changed.
    yield* Effect.sleep("50 millis")
    return Queue.take(queue)
  })

describe("changes of a project", () => {
  it.live("are heard again after the folder was deleted and made anew, whichever file is named", () =>
    Effect.gen(function* () {
      const root = join(yield* folder, "project")
      const config = join(root, "config.yaml")
      const make = () => {
        mkdirSync(root)
        writeFileSync(config, "project: one")
      }
      make()
      const next = yield* heard(config)
      writeFileSync(config, "project: two")
      yield* next
      rmSync(root, { recursive: true })
      yield* next
      make()
      yield* next
      writeFileSync(join(root, "tests.yaml"), "tests: []")
      yield* next
    }).pipe(Effect.scoped, Effect.timeout("10 seconds"))
  )
})
