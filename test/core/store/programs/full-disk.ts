/**
 * A run that outgrows the room there is: `full-disk.ts DB RESULTS`. Prints one JSON document that says how each write
 * ended, and the finish.
 */
import { writeSync } from "node:fs"
import * as LocalProcess from "@agent-arena/core/store/LocalProcess"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { completedFooter, headerOf, resultOf, rulesOf } from "../ExampleRun.ts"

const [path = "", count = "0"] = process.argv.slice(2)
const cases = Array.from({ length: Number(count) }, (_, index) => `case ${index}`)
const output = "long answer ".repeat(1000)

// The system's default is to end a process whose file may not grow; then the write itself could not fail.
process.on("SIGXFSZ", () => {})

const program = Effect.gen(function* () {
  const store = yield* ResultStore
  const host = yield* LocalProcess.current
  const header = headerOf("run_full", rulesOf(["a"], cases), { record: { host } })
  const writer = yield* store.begin(header)
  const writes = yield* Effect.forEach(
    cases,
    (id) =>
      Effect.map(Effect.result(writer.write(resultOf("a", id, 1, { output }))), (written) =>
        written._tag === "Success" ? null : { problem: written.failure.problem, message: written.failure.message }
      ),
    { concurrency: 4 }
  )
  const finished = yield* Effect.exit(writer.finish(completedFooter(header)))
  writeSync(1, `${JSON.stringify({ writes, finished: Exit.isSuccess(finished) })}\n`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(ResultStore.layer(path))))
