import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readGrades, settled } from "@agent-arena/tui/src/actions/grade/gradeFile.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const reading = (name: string, text: string) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-grades-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const file = join(folder, name)
    writeFileSync(file, text)
    const { log, rows } = yield* readGrades(file)
    const error = yield* Effect.match(settled(log), { onFailure: ({ message }) => message, onSuccess: () => "" })
    return { rows, error: error.replaceAll(`${file}:`, "") }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("a file of grades", () => {
  it.effect("is read in any order of its columns, and rows that nobody has filled in are left out", () =>
    Effect.gen(function* () {
      const { error, rows } = yield* reading("g.csv", "Reason,Grade,ID\n'=fine,pass,a1\n,,a2\n")
      assert.strictEqual(error, "")
      assert.deepStrictEqual(
        rows.map(({ answer, reason, score }) => ({ answer, reason, score })),
        [{ answer: { id: "a1" }, reason: "=fine", score: 1 }]
      )
    })
  )

  it.effect("says two things by one name nowhere", () =>
    Effect.gen(function* () {
      const csv = yield* reading("g.csv", "id,score,grade\na1,1,0\n")
      assert.include(csv.error, '1:1  two columns mean "score"')
      const lines = yield* reading("g.jsonl", '{"id":"a1","score":1}\n{"id":"a2","score":1,"grade":0}\n')
      assert.include(lines.error, "2:1  two fields of this grade mean the same")
    })
  )

  it.effect("keeps the names of answers as they were exported, also unquoted in YAML", () =>
    Effect.gen(function* () {
      const { error, rows } = yield* reading("g.yaml", "- { id: a12e45678901234, score: 0.5 }\n")
      assert.strictEqual(error, "")
      assert.deepStrictEqual(rows[0]?.answer, { id: "a12e45678901234" })
    })
  )
})
