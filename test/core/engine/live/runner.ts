/**
 * Executes the project of a folder: `runner.ts FOLDER [RUN]`, which goes on with RUN. Prints its id when it has begun and
 * its status when it has ended. Input: `pause`, `resume` or `stop`, one a line.
 */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { RunId } from "@agent-arena/core/domain/Ids"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"

const [folder = "", earlier] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const project = yield* Project.load(folder)
  const run = yield* Arena.start(project, earlier === undefined ? {} : { resume: RunId.make(earlier) })
  const orders: Readonly<Record<string, Effect.Effect<void>>> = {
    pause: run.pause,
    resume: run.resume,
    stop: run.stop("cancelled")
  }
  createInterface({ input: process.stdin }).on("line", (line) => {
    Effect.runFork(orders[line] ?? Effect.void)
  })
  writeSync(1, `${run.id}\n`)
  const report = yield* run.result
  writeSync(1, `${report.run.status}\n`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Arena.layer)))
process.exit(0)
