import { codeExec } from "@agent-arena/core/scoring/CodeExecScorer"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { judge, problems } from "./judging.ts"

const javascript = { language: "javascript" }
const checks = "assert.equal(add(1, 2), 3)"

describe("code_exec", () => {
  it.live.each<[string, string, string, Record<string, unknown>]>([
    ["a fenced block", "```js\nfunction add(a, b) { return a + b }\n```", checks, javascript],
    ["bare code", "const add = (a, b) => a + b", checks, javascript],
    ["two blocks", "```js\nconst one = 1\n```\nand\n```js\nconst add = (a, b) => a + b * one\n```", checks, javascript],
    [
      "CommonJS",
      "const p = require('node:path'); module.exports = {}; const add = (a, b) => a + b",
      checks,
      javascript
    ],
    [
      "TypeScript",
      "```ts\nconst add = (a: number, b: number): number => a + b\n```",
      checks,
      { language: "typescript" }
    ],
    ["set-up code", "const add = (a, b) => a + b + zero", checks, { ...javascript, setup: "const zero = 0" }],
    ["Python", "```python\ndef add(a, b):\n    return a + b\n```", "assert add(1, 2) == 3", {}]
  ])("passes %s", ([, output, reference, params]) =>
    Effect.gen(function* () {
      const score = yield* judge(codeExec, output, reference, params)
      assert.strictEqual(score.reason, "")
      assert.isTrue(score.passed)
    })
  )

  it.live.each<[string, string, string]>([
    ["wrong code", "const add = (a, b) => a - b", ""],
    ["a syntax error", "const add = (a, b => a", ""],
    ["leaving early", "const add = () => 0; process.exit(0)", "it left before its checks had run"],
    ["an exit code", "process.exit(3)", "it ended with exit code 3"],
    ["reading other files", "require('node:fs').readFileSync('/etc/hostname')", ""],
    ["starting programs", "require('node:child_process').execSync('ls')", ""]
  ])("fails %s", ([, output, reason]) =>
    Effect.gen(function* () {
      const score = yield* judge(codeExec, output, checks, javascript)
      assert.strictEqual(score.score, 0)
      assert.isFalse(score.passed)
      assert.isNotEmpty(score.reason)
      if (reason !== "") assert.strictEqual(score.reason, reason)
    })
  )

  it.live("kills what does not end, and floods of output do no harm", () =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      const params = { ...javascript, timeout_s: 1 }
      const flood = yield* judge(codeExec, "for (;;) process.stdout.write('x'.repeat(1000))", checks, params)
      assert.strictEqual(flood.reason, "it did not finish within 1 s")
      assert.isTrue(flood.detail["timed_out"])
      assert.isBelow((yield* Clock.currentTimeMillis) - started, 10_000)
    })
  )

  it.live("ends with the run that wanted it", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(judge(codeExec, "for (;;);", checks, javascript), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
    })
  )

  it.live("shows the program no credentials", () =>
    Effect.gen(function* () {
      process.env["ARENA_TEST_SECRET"] = "secret"
      const tests = "assert.equal(process.env.ARENA_TEST_SECRET, undefined)"
      const score = yield* judge(codeExec, "const add = 1", tests, javascript)
      delete process.env["ARENA_TEST_SECRET"]
      assert.isTrue(score.passed)
    })
  )

  it.live("keeps the last of what the program said", () =>
    Effect.gen(function* () {
      const output = "console.log('a'.repeat(5000) + 'end'); console.error('oops')"
      const { detail } = yield* judge(codeExec, output, "assert.ok(true)", javascript)
      assert.isAtMost(String(detail["stdout"]).length, 2_000)
      assert.isTrue(String(detail["stdout"]).endsWith("end\n"))
      assert.strictEqual(detail["stderr"], "oops\n")
      assert.strictEqual(detail["exit_code"], 0)
    })
  )

  it.each<[unknown, Record<string, unknown>, string]>([
    [undefined, javascript, 'no reference and no param "tests"'],
    ["", javascript, "no checks to run"],
    [{ a: 1 }, javascript, "a mapping"],
    ["x", { language: "ruby" }, "expected python, javascript, typescript"],
    ["x", { ...javascript, timeout_s: 0 }, "a number 0.1..600"],
    ["x", { ...javascript, tests: [{}] }, "expected text or lines"]
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(codeExec, reference, params).join("; "), expected)
  })
})
