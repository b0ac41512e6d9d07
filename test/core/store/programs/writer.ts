/**
 * A process that writes a run: `writer.ts DB RUN_ID FIRST_CASE LAST_CASE`. Prints a line for every acknowledged cell,
 * then waits to be killed, or finishes when its standard input says so.
 */
import { writeSync } from "node:fs"
import * as LocalProcess from "@agent-arena/core/store/LocalProcess"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import { completedFooter, headerOf, resultOf, rulesOf } from "../ExampleRun.ts"

const [path = "", runId = "", count = "0"] = process.argv.slice(2)
const cases = Array.from({ length: Number(count) }, (_, index) => `case ${index}`)

const stdinEnds = Effect.callback<void>((resume) => {
  process.stdin.on("end", () => resume(Effect.void)).resume()
})

const program = Effect.gen(function* () {
  const store = yield* ResultStore
  const host = yield* LocalProcess.current
  const startedAt = new Date().toISOString()
  const header = headerOf(runId, rulesOf(["a", "b"], cases), { record: { host, startedAt } })
  const writer = yield* store.begin(header)
  writeSync(1, "begun\n")
  yield* Effect.forEach(
    cases.flatMap((id) => [resultOf("a", id), resultOf("b", id)]),
    (result) =>
      Effect.andThen(
        writer.write(result),
        // Straight to the pipe: what the parent reads was said after the commit and before the next one.
        Effect.sync(() => writeSync(1, `${result.caseId}/${result.contestant}\n`))
      ),
    { concurrency: 8, discard: true }
  )
  writeSync(1, "written\n")
  yield* stdinEnds
  yield* writer.finish(completedFooter(header))
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(ResultStore.layer(path))))
