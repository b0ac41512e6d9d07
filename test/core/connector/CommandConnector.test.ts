import { spawn } from "node:child_process"
import { chmodSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ConnectorConfig } from "@agent-arena/core/connector/Connector"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { temporaryFolder } from "./folders.ts"
import { cellOf, configOf, connectorOf, readyConnector, requestOf } from "./requests.ts"

const program = fileURLToPath(new URL("../../fixtures/targets/program.mjs", import.meta.url))

const commandConfig = (
  argv: readonly [string, ...ReadonlyArray<string>],
  fields: Partial<ConnectorConfig> = {},
  env: Record<string, string> = {}
) =>
  configOf({
    kind: "command",
    model: argv.join(" "),
    source: { _tag: "Command", argv, env },
    env: { PATH: process.env["PATH"] },
    ...fields
  })

/** How a project refers to a variable. */
const reference = (name: string) => `\${env:${name}}`

const run = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(readyConnector(commandConfig([process.execPath, program, ...args])), (connector) =>
    connector.generate(requestOf("héllo $& world"), cellOf())
  )

const shell = (script: string, root: string) => commandConfig(["/bin/sh", "-c", script], { root })

/** Asks again until it is so; the test's own time limit is the only one. */
const eventually = (condition: () => boolean) =>
  Effect.repeat(Effect.sync(condition), {
    until: (isSo: boolean) => isSo,
    schedule: Schedule.spaced("5 millis")
  })

/** A process that has ended but was not yet cleared away by the system does not count. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/stat`
  return !existsSync(status) || !/^\d+ \(.*\) Z/.test(readFileSync(status, "utf8"))
}

const isGone = (pid: number) => eventually(() => !isAlive(pid))

const pidIn = (file: string) =>
  Effect.map(
    eventually(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n")),
    () => Number(readFileSync(file, "utf8"))
  )

describe("a program", () => {
  it.live("reads the prompt from stdin and answers on stdout", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run("upper")).text, "HÉLLO $& WORLD")
    })
  )

  it.live("takes the prompt as an argument when it has a place for it, without a shell between", () =>
    Effect.gen(function* () {
      const answer = yield* run("argument", "<{prompt}> $(echo no)")
      assert.strictEqual(answer.text, "<héllo $& world> $(echo no)")
      assert.deepStrictEqual([answer.usage.prompt, answer.usage.completion, answer.costUsd], [3, null, 0.5])
    })
  )

  it.live("answers JSON that is not in the form of a target as text; a wrong field is its error", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run("json")).text, '{"total": 12}')
      const wrong = yield* Effect.flip(run("wrong"))
      assert.deepStrictEqual([wrong.reason, wrong.detail.includes('"cost_usd"')], ["target", true])
    })
  )

  it.live("learns about its cell from the environment", () =>
    Effect.gen(function* () {
      const config = commandConfig(
        [process.execPath, program, "environment"],
        { env: { SECRET: "s3cret-value", ARENA_OTHER: "kept" } },
        { TOKEN: `Bearer ${reference("SECRET")}` }
      )
      const connector = yield* readyConnector(config)
      const request = requestOf("?", { system: "Be brief", params: { k: 3 } })
      const answer = yield* connector.generate(request, cellOf({ trial: 2, tags: ["a", "b"], reference: "hidden" }))
      assert.deepStrictEqual(JSON.parse(answer.text), {
        ARENA_ATTEMPT: "1",
        ARENA_CASE_ID: "t1",
        ARENA_CONTESTANT: "subject",
        ARENA_OTHER: "kept",
        ARENA_PARAMS: '{"k":3}',
        ARENA_SYSTEM: "Be brief",
        ARENA_TAGS: "a,b",
        ARENA_TRIAL: "2",
        TOKEN: "Bearer s3cret-value"
      })
      assert.include(connector.secrets.map(Redacted.value), "s3cret-value")
    })
  )

  it.live("gets the conversation that it checks, and only the file of one that no variable can hold", () =>
    Effect.gen(function* () {
      const script = `printf '%s,%s' "\${#ARENA_TRACE}" "$ARENA_TRACE_FILE"`
      const connector = yield* readyConnector(shell(script, process.cwd()))
      const told = (trace: string) => {
        const scenario = { node: "a", turn: 0, workspace: "/w", trace, traceFile: "/w/trace.txt" }
        return Effect.map(connector.generate(requestOf("check"), { ...cellOf(), scenario }), ({ text }) => text)
      }
      assert.strictEqual(yield* told("four"), "4,/w/trace.txt")
      assert.strictEqual(yield* told("a\0b"), "2,/w/trace.txt")
      assert.strictEqual(yield* told("x".repeat(200_000)), "0,/w/trace.txt")
    })
  )

  it.live("has its literal keys kept out of its errors, even where stderr is cut to length", () =>
    Effect.gen(function* () {
      const key = "sk-planted-0123456789-abcdefghijklmnop"
      // The end of stderr is quoted, and begins in the middle of the key.
      const script = `printf '%s%s' "$API_KEY" "$(printf 'z%.0s' $(seq 385))" >&2; exit 3`
      const config = commandConfig(["/bin/sh", "-c", script], {}, { API_KEY: key, MODE: "a-harmless-word" })
      const connector = yield* readyConnector(config)
      const error = yield* Effect.flip(connector.generate(requestOf("?"), cellOf()))
      assert.include(error.detail, "zzz")
      assert.notInclude(error.detail, "mnop")
      assert.notInclude(connector.secrets.map(Redacted.value), "a-harmless-word")
    })
  )

  it.live("that does not read its prompt is not in the way of anybody", () =>
    Effect.gen(function* () {
      const connector = yield* readyConnector(commandConfig([process.execPath, program, "deaf"]))
      const answer = yield* connector.generate(requestOf("x".repeat(5_000_000)), cellOf())
      assert.strictEqual(answer.text, "heard nothing")
    })
  )
})

describe("failures", () => {
  it.live("an exit code is told with the last words on stderr", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run("fail"))
      assert.strictEqual(error.reason, "target")
      assert.match(error.detail, /^exit code 3: .*the index is gone$/)
      assert.isAtMost(error.detail.length, 500)
      const killed = yield* readyConnector(commandConfig(["/bin/sh", "-c", "kill -9 $$"]))
      assert.include((yield* Effect.flip(killed.generate(requestOf("?"), cellOf()))).detail, "killed by SIGKILL")
    })
  )

  it.live("output without end is cut", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run("flood"))
      assert.deepStrictEqual([error.reason, error.detail], ["target", "the program wrote more than 10 MB to stdout"])
    })
  )

  it.live("a program that cannot be started says why, at once and beforehand", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder({ "data.txt": "x" })
      const failed = (name: string) =>
        Effect.gen(function* () {
          const connector = yield* readyConnector(commandConfig([name], { root }))
          const error = yield* Effect.flip(connector.generate(requestOf("?"), cellOf()))
          return [error.reason, error.isRetryable, yield* connector.healthCheck] as const
        })
      const nowhere = yield* failed("no-such-program")
      assert.deepStrictEqual(nowhere, ["not_found", false, 'the program "no-such-program" is not found in PATH'])
      assert.include((yield* failed("./gone"))[2], "does not exist")
      assert.include((yield* failed("./data.txt"))[2], "is not executable")

      chmodSync(join(root, "data.txt"), 0o755)
      const ready = yield* readyConnector(commandConfig(["./data.txt"], { root }))
      assert.strictEqual(yield* ready.healthCheck, null)
      const node = yield* readyConnector(commandConfig(["sh"], { root }))
      assert.strictEqual(yield* node.healthCheck, null)
    })
  )

  it.live("an argument that the system refuses is the request's fault", () =>
    Effect.gen(function* () {
      const connector = yield* readyConnector(commandConfig(["/bin/echo", "{prompt}"]))
      const reasons = yield* Effect.forEach(["x".repeat(3_000_000), "a\0b"], (prompt) =>
        Effect.map(Effect.flip(connector.generate(requestOf(prompt), cellOf())), ({ reason }) => reason)
      )
      assert.deepStrictEqual(reasons, ["invalid_request", "invalid_request"])
    })
  )

  it.effect("a variable that is not set is named when the connector is built", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connectorOf(commandConfig(["sh"], {}, { TOKEN: reference("ARENA_UNSET") })))
      assert.include(error.message, "ARENA_UNSET")
      assert.include(error.message, ".env")
    })
  )
})

describe("the end of a program", () => {
  it.live("interruption ends it with its children, without waiting for them", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder()
      const connector = yield* readyConnector(shell("sleep 1000 & echo $! > child; echo $$ > parent; wait", root))
      const fiber = yield* Effect.forkChild(connector.generate(requestOf("?"), cellOf()))
      const child = yield* pidIn(join(root, "child"))
      const parent = yield* pidIn(join(root, "parent"))
      assert.isTrue(isAlive(child) && isAlive(parent))
      yield* Fiber.interrupt(fiber)
      yield* isGone(child)
      yield* isGone(parent)
    })
  )

  it.live("one that ignores SIGTERM is killed after a while; closing the connector's scope waits for that", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder()
      const scope = yield* Scope.make()
      const script = "trap '' TERM; echo $$ > self; while :; do sleep 1; done"
      const connector = yield* Scope.provide(readyConnector(shell(script, root)), scope)
      const fiber = yield* Effect.forkChild(connector.generate(requestOf("?"), cellOf()))
      const self = yield* pidIn(join(root, "self"))
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isAlive(self))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isAlive(self))
    })
  )

  it.live("none outlives a process that exits at once", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder()
      const script = fileURLToPath(new URL("exitDuringCall.ts", import.meta.url))
      const args = ["--conditions=agent-arena-source", script, root]
      const code = yield* Effect.callback<number | null>((resume) => {
        spawn(process.execPath, args, { stdio: "inherit" }).on("exit", (exitCode) => resume(Effect.succeed(exitCode)))
      })
      assert.strictEqual(code, 7)
      yield* isGone(yield* pidIn(join(root, "self")))
    })
  )

  it.live("what it leaves behind does not keep its answer back, and is ended", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder()
      const connector = yield* readyConnector(shell("sleep 1000 & echo $! > child; echo done", root))
      assert.strictEqual((yield* connector.generate(requestOf("?"), cellOf())).text, "done")
      yield* isGone(yield* pidIn(join(root, "child")))
    })
  )
})
