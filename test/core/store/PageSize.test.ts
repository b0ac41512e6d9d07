import { RunId } from "@agent-arena/core/domain/Ids"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { RunShelf } from "@agent-arena/core/store/RunShelf"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { completedFooter, headerOf, resultOf, rulesOf } from "./ExampleRun.ts"

const cases = Array.from({ length: 30 }, (_, index) => `case-${String(index).padStart(2, "0")}`)
const rules = rulesOf(["a"], cases)
const runId = RunId.make("run_1")
const mebibyte = 1024 * 1024

/** Small answers first: the size of a page cannot be guessed from the one before. */
const outputOf = (index: number): string =>
  index < 10 ? "short" : index === 20 ? "y".repeat(9 * mebibyte) : "x".repeat(1.5 * mebibyte)

const written = Effect.gen(function* () {
  const store = yield* ResultStore
  const header = headerOf("run_1", rules)
  const writer = yield* store.begin(header)
  for (const [index, id] of cases.entries()) {
    yield* writer.write(resultOf("a", id, 1, { output: outputOf(index) }))
  }
  yield* writer.finish(completedFooter(header))
}).pipe(Effect.scoped)

const check = (pages: ReadonlyArray<ReadonlyArray<{ readonly output: string | null; readonly caseId: string }>>) => {
  assert.deepStrictEqual(
    pages.flat().map(({ caseId }) => caseId as string),
    cases
  )
  for (const page of pages) {
    const bytes = page.reduce((sum, { output }) => sum + (output?.length ?? 0), 0)
    assert.isTrue(
      bytes <= 6 * mebibyte || page.at(-1)?.output?.length === 9 * mebibyte,
      `${page.length} results with ${bytes} bytes`
    )
  }
}

describe("pages of long answers", () => {
  it.effect("hold a few megabytes, or one result, however results are read", () =>
    Effect.gen(function* () {
      yield* written
      const store = yield* ResultStore
      const pages: Array<ReadonlyArray<{ output: string | null; caseId: string }>> = []
      yield* Stream.runForEachArray(store.results(runId), (page) => Effect.sync(() => pages.push(page)))
      check(pages)
      const newer: Array<ReadonlyArray<{ output: string | null; caseId: string }>> = []
      for (let after = yield* store.resultsAfter(runId, null); after !== null; ) {
        newer.push(after.results.map(({ result }) => result))
        after = after.more ? yield* store.resultsAfter(runId, after.cursor) : null
      }
      check(newer)
      const shelf = yield* RunShelf
      const exported = [...(yield* Stream.runCollect(shelf.exportRun(runId)))].join("")
      assert.strictEqual(exported.split('"type":"result"').length - 1, cases.length)
    }).pipe(Effect.provide(ResultStore.layerMemory))
  )
})
