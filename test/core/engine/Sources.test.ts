import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { RunId } from "@agent-arena/core/domain/Ids"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Plan from "@agent-arena/core/engine/Plan"
import * as Project from "@agent-arena/core/project/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { finished } from "./observation.ts"
import { loadProject, projectFolder, scripted } from "./projects.ts"

const stored = Effect.fnUntraced(function* (project: Project.Project, runId: RunId) {
  const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
  return [...(yield* Stream.runCollect(store.results(runId)))]
})

/** Runs a project to its end and reads back what was stored. */
const complete = (project: Project.Project) =>
  Effect.scoped(
    Effect.gen(function* () {
      const run = yield* Arena.start(project)
      const report = yield* run.result
      return { report, results: yield* stored(project, report.run.runId) }
    })
  )

/** A server that answers with what it was sent, credentials included. */
const echoServer = Effect.map(
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((request, response) => {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ output: `you sent ${request.headers.authorization}`, trace: request.headers }))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ),
  (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
)

const paid = scripted("paid", [{ text: "yes", cost_usd: 0.01, input_tokens: 3, output_tokens: 1 }])

describe("the response cache", () => {
  it.effect("answers a second run: marked, without latency, and nothing is spent", () =>
    Effect.gen(function* () {
      const cache = join(yield* projectFolder({}), "cache")
      const project = yield* loadProject({ models: [paid], run: { cache, trials: 2 } }, 2)
      const first = yield* complete(project)
      const second = yield* complete(project)
      assert.approximately(first.report.run.totalCostUsd ?? 0, 0.04, 1e-12)
      assert.isNull(second.report.run.totalCostUsd)
      for (const result of second.results) {
        assert.strictEqual(result.answeredFrom, "cache")
        assert.isNull(result.latencyMs)
        assert.strictEqual(result.costUsd, 0.01)
      }
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("secrets", () => {
  const key = "sk-very-secret-0123456789"

  it.effect("that a server echoes are nowhere in results, database, cache or log", () =>
    Effect.gen(function* () {
      const server = yield* echoServer
      const folder = yield* projectFolder({ ".env": `LOCAL_KEY=${key}\n` })
      const cache = join(folder, "cache")
      writeFileSync(
        join(folder, "config.json"),
        JSON.stringify({
          project: "secrets",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a credential reference, which the arena resolves
          targets: [{ key: "echo", url: server, headers: { authorization: "Bearer ${env:LOCAL_KEY}" } }],
          hooks: { post_process: "hooks.mjs:after" },
          run: { cache }
        })
      )
      writeFileSync(
        join(folder, "hooks.mjs"),
        `export const after = (output) => ({ output, reason: "said " + output, score: 1 })`
      )
      writeFileSync(join(folder, "tests.json"), JSON.stringify([{ id: "t1", input: "x", expected: "y" }]))
      const project = yield* Project.load(folder)
      const { results } = yield* complete(project)
      assert.include(results[0]?.output, "***")
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && entry.name !== ".env"
      )
      for (const file of files) {
        const bytes = readFileSync(join(file.parentPath, file.name))
        assert.isFalse(bytes.includes(key), `${file.name} holds the key`)
      }
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )
})

describe("recordings", () => {
  it.effect("are replayed exactly, without building the contestant, and marked", () =>
    Effect.gen(function* () {
      const tape = join(yield* projectFolder({}), "tape")
      const flaky = scripted("flaky", [{ status: 500 }, { text: "yes", cost_usd: 0.01 }])
      const recorded = yield* complete(
        yield* loadProject({ models: [flaky], run: { record: tape, retry_backoff_s: 0 } }, 3)
      )
      const replayed = yield* complete(
        yield* loadProject({ models: [flaky], run: { replay: tape, retry_backoff_s: 0 } }, 3)
      )
      assert.deepStrictEqual(
        replayed.results.map(({ attempts, output, score }) => [output, score, attempts.length]),
        recorded.results.map(({ attempts, output, score }) => [output, score, attempts.length])
      )
      assert.isTrue(replayed.results.every(({ answeredFrom }) => answeredFrom === "replay"))
      assert.isNull(replayed.report.run.totalCostUsd)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("do not answer what was not recorded", () =>
    Effect.gen(function* () {
      const tape = join(yield* projectFolder({}), "tape")
      yield* complete(yield* loadProject({ models: [paid], run: { record: tape } }, 1))
      const { results } = yield* complete(yield* loadProject({ models: [paid], run: { replay: tape } }, 2))
      assert.deepStrictEqual(
        results.map(({ status }) => status),
        ["ok", "error"]
      )
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("the judge", () => {
  const judged = (judge: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) =>
    loadProject(
      { models: [paid], judge: { model: "mock:judge", ...judge }, run: { retries: 1, retry_backoff_s: 0 }, ...more },
      [{ id: "t1", input: "say yes", scorer: "llm_judge" }]
    )

  it.effect("scores through the arena: its call is kept and paid apart from the contestant's", () =>
    Effect.gen(function* () {
      const reply = JSON.stringify({ reason: "fine", score: 0.8, passed: true })
      const params = { mode: "script", script: [{ status: 503 }, { text: reply, cost_usd: 0.002 }] }
      const { report, results } = yield* complete(yield* judged({ params }))
      const [result] = results
      assert.strictEqual(result?.score, 0.8)
      assert.strictEqual(result?.costUsd, 0.01)
      assert.lengthOf(result?.steps ?? [], 0)
      assert.deepStrictEqual(
        result?.scoringSteps?.map(({ attempts, costUsd, output }) => [attempts, costUsd, output]),
        [[2, 0.002, reply]]
      )
      assert.approximately(report.run.totalCostUsd ?? 0, 0.012, 1e-12)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("whose reply is unusable makes the cell an error that keeps answer and cost", () =>
    Effect.gen(function* () {
      const { results } = yield* complete(yield* judged({ params: { mode: "fixed", text: "great answer" } }))
      const [result] = results
      assert.strictEqual(result?.status, "error")
      assert.strictEqual(result?.error?.kind, "scorer")
      assert.isNull(result?.score)
      assert.strictEqual(result?.output, "yes")
      assert.strictEqual(result?.costUsd, 0.01)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("that cannot run is found before anything is spent", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Arena.check(yield* judged({ params: { mode: "nonsense" } })))
      assert.include(error.message, "the judge cannot run")
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a case", () => {
  it.effect("may ask for a structured answer of its own", () =>
    Effect.gen(function* () {
      const code = "export const show = (_, { params }) => JSON.stringify(params)"
      const project = yield* loadProject(
        { targets: [{ key: "show", run: "show.mjs:show", params: { own: 1 } }] },
        [{ id: "t1", input: "x", expected: "y", response_format: { type: "json_object" } }],
        { "show.mjs": code }
      )
      const [result] = (yield* complete(project)).results
      assert.deepStrictEqual(JSON.parse(result?.output ?? "null"), { own: 1, response_format: { type: "json_object" } })
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("hooks", () => {
  const hooked = (hooks: Readonly<Record<string, string>>, code: string) =>
    loadProject({ models: [{ key: "echo", model: "mock:echo", params: { mode: "echo" } }], hooks }, 1, {
      "hooks.mjs": code
    })

  it.effect("change requests, answers and verdicts, and keep the original answer", () =>
    Effect.gen(function* () {
      const code = `
        export const before = (request) => ({ ...request, messages: [{ role: "user", content: "  YES  " }] })
        export const after = (output) => ({ output: output.trim().toLowerCase(), metrics: { trimmed: 1 } })
      `
      const hooks = { pre_request: "hooks.mjs:before", post_process: "hooks.mjs:after" }
      const [result] = (yield* complete(yield* hooked(hooks, code))).results
      assert.deepStrictEqual(
        [result?.output, result?.originalOutput, result?.score, result?.metrics["trimmed"]],
        ["yes", "  YES  ", 1, 1]
      )
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("that fail make their cell an error with the hook's name", () =>
    Effect.gen(function* () {
      for (const hook of ["pre_request", "post_process", "on_result"]) {
        const code = `export const broken = () => { throw new TypeError("no such field") }`
        const [result] = (yield* complete(yield* hooked({ [hook]: "hooks.mjs:broken" }, code))).results
        assert.deepStrictEqual([result?.status, result?.error?.kind, result?.error?.source], ["error", "hook", hook])
        assert.include(result?.error?.message, "no such field")
      }
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("that cannot be loaded are found by preflight, all at once", () =>
    Effect.gen(function* () {
      const hooks = { pre_request: "hooks.mjs:nobody", post_process: "hooks.mjs:nothing" }
      const error = yield* Effect.flip(Arena.check(yield* hooked(hooks, "export const somebody = () => null")))
      assert.lengthOf(error.issues, 2)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("pipelines", () => {
  it.effect("count, price and keep their inner calls", () =>
    Effect.gen(function* () {
      const code = `
        export const twice = async (prompt, { generate }) => {
          const first = await generate("paid", prompt)
          const second = await generate("paid", "again: " + prompt)
          return first.text === second.text ? first.text : "unsure"
        }
        export const broken = async (_prompt, { generate }) => (await generate("down", "x")).text
      `
      const project = yield* loadProject(
        {
          models: [
            { ...paid, enabled: false },
            { ...scripted("down", [{ status: 500 }]), enabled: false }
          ],
          targets: [
            { key: "twice", run: "pipeline.mjs:twice" },
            { key: "broken", run: "pipeline.mjs:broken" }
          ],
          run: { retries: 2, retry_backoff_s: 0 }
        },
        1,
        { "pipeline.mjs": code }
      )
      const { results } = yield* complete(project)
      const twice = results.find(({ contestant }) => contestant === "twice")
      assert.strictEqual(twice?.output, "yes")
      assert.deepStrictEqual(
        twice?.steps.map(({ contestant, prompt }) => `${contestant} ${prompt}`),
        ["paid say yes", "paid again: say yes"]
      )
      assert.deepStrictEqual([twice?.usage.prompt, twice?.usage.completion, twice?.costUsd], [6, 2, 0.02])
      const broken = results.find(({ contestant }) => contestant === "broken")
      assert.strictEqual(broken?.status, "error")
      // The inner call used up its attempts; the target around it is not repeated on top.
      assert.lengthOf(broken?.attempts ?? [], 1)
      assert.strictEqual(broken?.steps[0]?.attempts, 3)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a plan executed alone", () => {
  it.effect("lets its contestants call those that it leaves out", () =>
    Effect.gen(function* () {
      const code = 'export const ask = async (prompt, { generate }) => (await generate("paid", prompt)).text'
      const project = yield* loadProject(
        { models: [{ ...paid, enabled: false }], targets: [{ key: "ask", run: "ask.mjs:ask" }] },
        1,
        { "ask.mjs": code }
      )
      const results = [...(yield* Stream.runCollect(Arena.execute(Plan.make(project))))]
      assert.deepStrictEqual(
        results.map(({ contestant, output }) => `${contestant} ${output}`),
        ["ask yes"]
      )
    })
  )
})

describe("rate limits of a profile", () => {
  const limited = (rateLimit: Readonly<Record<string, number>>) =>
    loadProject(
      {
        providers: [{ id: "account", kind: "mock", rate_limit: rateLimit }],
        models: [
          { key: "a", model: "mock:a", provider: "account" },
          { key: "b", model: "mock:b", provider: "account" }
        ],
        run: { concurrency: 8 }
      },
      3
    )

  it.effect("hold for all contestants on it together; waiting is recorded and told", () =>
    Effect.gen(function* () {
      const project = yield* limited({ rpm: 60, burst: 2 })
      const run = yield* Arena.start(project)
      // Two calls at once, then one a second: six calls need four more seconds.
      for (let answered = 2; answered < 6; answered++) {
        yield* finished(run, answered)
        yield* TestClock.adjust("1 second")
      }
      const report = yield* run.result
      const results = yield* stored(project, report.run.runId)
      const starts = results.map(({ attempts }) => attempts[0]?.startedAt ?? 0).toSorted((left, right) => left - right)
      assert.deepStrictEqual(
        starts.map((at) => at - (starts[0] ?? 0)),
        [0, 0, 1_000, 2_000, 3_000, 4_000]
      )
      assert.isTrue(report.leaderboard.notes.some((note) => /calls waited 10\.0 s in all .* account/.test(note)))
      assert.isTrue(results.every(({ latencyMs }) => (latencyMs ?? 0) < 1_000))
    }).pipe(Effect.provide(Arena.layer))
  )
})
