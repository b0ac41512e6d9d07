import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Connector } from "@agent-arena/core/connector/Connector"
import * as Cassette from "@agent-arena/core/connector/cassette/Cassette"
import type { CellContext, GenerationRequest } from "@agent-arena/core/domain/Generation"
import * as Generation from "@agent-arena/core/domain/Generation"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"

const secret = "sk-0123456789abcdef"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "arena-cassette-"))),
  (root) => Effect.promise(() => fs.rm(root, { recursive: true, force: true }))
)

const cell = (caseId: string, trial = 1, attempt = 1): CellContext => ({
  contestant: ContestantKey.make("gpt"),
  caseId: CaseId.make(caseId),
  trial,
  attempt,
  tags: [],
  metadata: {},
  generate: () => Effect.die("not used")
})

const request = (prompt: string, fields: Partial<GenerationRequest> = {}): GenerationRequest => ({
  messages: [{ role: "user", content: prompt }],
  prompt,
  system: null,
  maxTokens: 16,
  temperature: 0,
  seed: null,
  params: {},
  ...fields
})

/** A connector that answers with what `answer` returns, and counts. */
const connector = (
  answer: (count: number) => Effect.Effect<Generation.Generation, GenerationError.GenerationError>
) => {
  const calls = { count: 0 }
  const service = Connector.of({
    provider: "openai",
    secrets: [Redacted.make(secret)],
    healthCheck: Effect.succeed(null),
    generate: () =>
      Effect.suspend(() => {
        calls.count += 1
        return answer(calls.count)
      })
  })
  return { service, calls }
}

const said = (text: string, fields: Partial<Generation.Generation> = {}) =>
  Effect.succeed(Generation.make({ text, ...fields }))

const optionsIn = (dir: string, model = "gpt-5-mini") => ({ dir, contestant: "gpt", model })

it.live("replays what was recorded, marked as such, without calling anybody", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const full = {
      reasoning: "because",
      servedModel: "gpt-5-mini-2025",
      usage: { prompt: 12, completion: 3, cachedRead: 4, cachedWrite: null, reasoning: 1 },
      costUsd: 0.01,
      timeToFirstTokenMs: 12.5,
      finishReason: "stop",
      responseId: "r1",
      requestId: "q1",
      toolCalls: [{ name: "lookup", input: { id: 7 } }],
      metrics: { hops: 2 },
      trace: { steps: ["a"] },
      settingsApplied: ["temperature"],
      settingsDropped: ["seed"]
    }
    const { service, calls } = connector(() => said("refund", full))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const recording = yield* Cassette.record(service, optionsIn(dir))
        const answer = yield* recording.generate(request("Where is it?"), cell("c1"))
        expect(answer.answeredFrom).toBeUndefined()
      })
    )
    const replayed = yield* Cassette.replay(optionsIn(dir))
    const answer = yield* replayed.generate(request("Where is it?"), cell("c1"))
    expect(answer).toMatchObject({ text: "refund", ...full, answeredFrom: "replay" })
    expect(answer.latencyMs).toBeGreaterThanOrEqual(0)
    expect(replayed.provider).toBe("openai")
    expect(calls.count).toBe(1)
  }).pipe(Effect.scoped)
)

it.live("replays trials apart, and exchanges of one request in their order, failures included", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const { service } = connector((count) =>
      count === 1
        ? Effect.fail(GenerationError.make({ reason: "rate_limited", detail: "slow", status: 429, retryAfterMs: 9000 }))
        : said(`answer ${count}`)
    )
    yield* Effect.scoped(
      Effect.gen(function* () {
        const recording = yield* Cassette.record(service, optionsIn(dir))
        yield* Effect.flip(recording.generate(request("?"), cell("c1", 1, 1)))
        yield* recording.generate(request("?"), cell("c1", 1, 2))
        yield* recording.generate(request("?"), cell("c1", 2, 1))
        yield* recording.generate(request("?"), cell("c1", 2, 1))
      })
    )
    const replayed = yield* Cassette.replay(optionsIn(dir))
    const second = yield* replayed.generate(request("?"), cell("c1", 2))
    const error = yield* Effect.flip(replayed.generate(request("?"), cell("c1", 1, 1)))
    const retried = yield* replayed.generate(request("?"), cell("c1", 1, 2))
    const third = yield* replayed.generate(request("?"), cell("c1", 2))
    expect([second.text, retried.text, third.text]).toEqual(["answer 3", "answer 2", "answer 4"])
    expect(error).toMatchObject({ reason: "rate_limited", status: 429, retryAfterMs: 0 })
  }).pipe(Effect.scoped)
)

it.live("a request that was not recorded is an error that says so", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const { service } = connector(() => said("yes"))
    yield* Effect.scoped(
      Effect.flatMap(Cassette.record(service, optionsIn(dir)), (one) => one.generate(request("?"), cell("c1")))
    )
    const changes: ReadonlyArray<readonly [string, GenerationRequest, CellContext]> = [
      ["another prompt", request("!"), cell("c1")],
      ["another system prompt", request("?", { system: "Be terse." }), cell("c1")],
      ["another temperature", request("?", { temperature: 1 }), cell("c1")],
      ["another param", request("?", { params: { top_p: 0.5 } }), cell("c1")],
      ["another case", request("?"), cell("c2")],
      ["another trial", request("?"), cell("c1", 2)]
    ]
    for (const [what, asked, where] of changes) {
      const replayed = yield* Cassette.replay(optionsIn(dir))
      const error = yield* Effect.flip(replayed.generate(asked, where))
      expect(error, what).toMatchObject({ reason: "not_found", isRetryable: false })
    }
    const otherModel = yield* Cassette.replay(optionsIn(dir, "gpt-5"))
    expect(yield* Effect.flip(otherModel.generate(request("?"), cell("c1")))).toMatchObject({ reason: "not_found" })
    const twice = yield* Cassette.replay(optionsIn(dir))
    yield* twice.generate(request("?"), cell("c1"))
    const error = yield* Effect.flip(twice.generate(request("?"), cell("c1")))
    expect(error.detail).toContain("has no answer for case c1, trial 1")
  }).pipe(Effect.scoped)
)

it.live("the order of params does not matter", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const { service } = connector(() => said("yes"))
    const asked = request("?", { params: { a: 1, b: { c: 2, d: [3] } } })
    yield* Effect.scoped(
      Effect.flatMap(Cassette.record(service, optionsIn(dir)), (one) => one.generate(asked, cell("c1")))
    )
    const replayed = yield* Cassette.replay(optionsIn(dir))
    const same = request("?", { params: { b: { d: [3], c: 2 }, a: 1 } })
    expect((yield* replayed.generate(same, cell("c1"))).text).toBe("yes")
  }).pipe(Effect.scoped)
)

it.live("recording again replaces what is recorded again, and keeps the rest", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const record = (text: string, cases: ReadonlyArray<string>) =>
      Effect.scoped(
        Effect.gen(function* () {
          const recording = yield* Cassette.record(connector(() => said(text)).service, optionsIn(dir))
          for (const one of cases) yield* recording.generate(request("?"), cell(one))
        })
      )
    yield* record("old", ["c1", "c2"])
    yield* record("new", ["c2"])
    const replayed = yield* Cassette.replay(optionsIn(dir))
    expect((yield* replayed.generate(request("?"), cell("c1"))).text).toBe("old")
    expect((yield* replayed.generate(request("?"), cell("c2"))).text).toBe("new")
    expect(yield* Effect.flip(replayed.generate(request("?"), cell("c2")))).toMatchObject({ reason: "not_found" })
  }).pipe(Effect.scoped)
)

it.live("two recordings into one file at once keep apart", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    yield* Effect.scoped(
      Effect.gen(function* () {
        const first = yield* Cassette.record(connector((count) => said(`first ${count}`)).service, optionsIn(dir))
        yield* first.generate(request("?"), cell("c1"))
        const second = yield* Cassette.record(connector((count) => said(`second ${count}`)).service, optionsIn(dir))
        yield* second.generate(request("?"), cell("c2"))
        yield* first.generate(request("?"), cell("c1"))
      })
    )
    const replayed = yield* Cassette.replay(optionsIn(dir))
    const answers = yield* Effect.forEach(["c1", "c1", "c2"], (one) => replayed.generate(request("?"), cell(one)))
    expect(answers.map((answer) => answer.text)).toEqual(["first 1", "first 2", "second 1"])
  }).pipe(Effect.scoped)
)

it.live("secrets are never written, and what surrounds them is still a document", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const { service } = connector(() => said(`the key is "${secret}"`, { trace: { headers: [`Bearer ${secret}`] } }))
    yield* Effect.scoped(
      Effect.flatMap(Cassette.record(service, optionsIn(dir)), (one) =>
        one.generate(request(`my key: ${secret}`), cell("c1"))
      )
    )
    const text = yield* Effect.promise(() => fs.readFile(path.join(dir, "gpt.jsonl"), "utf8"))
    expect(text).not.toContain(secret)
    const replayed = yield* Cassette.replay(optionsIn(dir))
    const answer = yield* replayed.generate(request(`my key: ${secret}`), cell("c1"))
    expect(answer).toMatchObject({ text: 'the key is "***"', trace: { headers: ["Bearer ***"] } })
  }).pipe(Effect.scoped)
)

it.live("an interrupted call leaves nothing behind", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    yield* Effect.scoped(
      Effect.gen(function* () {
        const recording = yield* Cassette.record(connector(() => Effect.never).service, optionsIn(dir))
        const fiber = yield* Effect.forkChild(recording.generate(request("?"), cell("c1")), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
      })
    )
    const replayed = yield* Cassette.replay(optionsIn(dir))
    expect(yield* Effect.flip(replayed.generate(request("?"), cell("c1")))).toMatchObject({ reason: "not_found" })
  }).pipe(Effect.scoped)
)

it.live("many calls at once are written whole, and half a line at the end is ignored", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const { service } = connector((count) => said(`answer ${count} ${"ü".repeat(5000)}`))
    const cells = Array.from({ length: 200 }, (_, index) => cell(`c${index}`))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const recording = yield* Cassette.record(service, optionsIn(dir))
        yield* Effect.forEach(cells, (one) => recording.generate(request("?"), one), { concurrency: "unbounded" })
      })
    )
    yield* Effect.promise(() => fs.appendFile(path.join(dir, "gpt.jsonl"), '{"type":"exch'))
    const replayed = yield* Cassette.replay(optionsIn(dir))
    const answers = yield* Effect.forEach(cells, (one) => replayed.generate(request("?"), one), { concurrency: 16 })
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(200)
  }).pipe(Effect.scoped)
)

it.live("a folder without a recording, or with a broken one, is reported before the run", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const missing = yield* Effect.flip(Cassette.replay(optionsIn(dir)))
    expect(missing.message).toContain("gpt.jsonl cannot be replayed")
    yield* Effect.promise(() => fs.writeFile(path.join(dir, "gpt.jsonl"), "{}\n"))
    const foreign = yield* Effect.flip(Cassette.replay(optionsIn(dir)))
    expect(foreign.message).toContain("line 1 cannot be read: it is neither a session nor an exchange")
    yield* Effect.promise(() => fs.writeFile(path.join(dir, "gpt.jsonl"), '{"type":"session","version":99}\n'))
    const newer = yield* Effect.flip(Cassette.replay(optionsIn(dir)))
    expect(newer.message).toContain("newer than this program")
    yield* Effect.promise(() => fs.writeFile(path.join(dir, "file"), ""))
    const { service } = connector(() => said("yes"))
    const unwritable = yield* Effect.flip(Effect.scoped(Cassette.record(service, optionsIn(path.join(dir, "file")))))
    expect(unwritable.message).toContain("cannot be written")
  }).pipe(Effect.scoped)
)

it.live("contestants with names that are no file names have files of their own, inside the folder", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const names = ["../../etc/passwd", "a/b", "a:b", "..", "ü"]
    for (const contestant of names) {
      const { service } = connector(() => said(contestant))
      yield* Effect.scoped(
        Effect.flatMap(Cassette.record(service, { dir, contestant, model: "m" }), (one) =>
          one.generate(request("?"), cell("c1"))
        )
      )
    }
    expect((yield* Effect.promise(() => fs.readdir(dir))).length).toBe(names.length)
    for (const contestant of names) {
      const replayed = yield* Cassette.replay({ dir, contestant, model: "m" })
      expect((yield* replayed.generate(request("?"), cell("c1"))).text).toBe(contestant)
    }
  }).pipe(Effect.scoped)
)
