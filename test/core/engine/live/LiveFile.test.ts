import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CaseId, ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import { Arena } from "@agent-arena/core/engine/Arena"
import { makeLiveReader } from "@agent-arena/core/engine/live/LiveReader"
import { LiveDocument } from "@agent-arena/core/engine/live/LiveState"
import * as Project from "@agent-arena/core/project/Project"
import { liveFileOf } from "@agent-arena/core/store/LiveFile"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as ChildProcess from "../../store/ChildProcess.ts"
import { projectFolder } from "../projects.ts"

const runner = new URL("./runner.ts", import.meta.url)

/** One case that fails and is tried again later, others that hang until they are interrupted. */
const target = `export const answer = (_prompt, { caseId, signal }) => {
  if (caseId === "broken") throw new Error("no " + "answer ".repeat(200))
  if (caseId === "quick") return { output: "yes" }
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))
}
`

const workshop = (cases: ReadonlyArray<string>) =>
  projectFolder({
    "config.json": JSON.stringify({
      project: "live",
      targets: [{ key: "one", run: "target.mjs:answer" }],
      budgets: { max_run_usd: 5, allow_unpriced: true },
      run: { concurrency: 4, retries: 3, retry_backoff_s: 60, drain_s: 1, term_drain_s: 0.5 }
    }),
    "tests.json": JSON.stringify(cases.map((id) => ({ id, input: "say yes", expected: "yes" }))),
    "target.mjs": target
  })

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(LiveDocument))

/** Looks until it holds; the run's own clock decides when. */
const eventually = <A>(look: () => A | null) =>
  Effect.retry(
    Effect.suspend(() => {
      const found = look()
      return found === null ? Effect.fail("not yet") : Effect.succeed(found)
    }),
    Schedule.max([Schedule.spaced("20 millis"), Schedule.recurs(500)])
  )

const fileOf = (database: string, id: string): string => liveFileOf(database, id) ?? ""

const liveFilesBeside = (database: string): ReadonlyArray<string> =>
  readdirSync(dirname(database)).filter((name) => name.startsWith(".live-"))

const interrupted = (database: string, id: string) =>
  ResultStore.use((store) => store.pulse(RunId.make(id))).pipe(Effect.provide(ResultStore.layerReadOnly(database)))

describe("the live file", () => {
  it.live("tells what is in flight and what was tried, for as long as the run goes on", () =>
    Effect.gen(function* () {
      const project = yield* Project.load(yield* workshop(["quick", "broken", "hangs"]))
      const run = yield* Arena.start(project)
      const file = fileOf(project.output.db, run.id)
      assert.isFalse(existsSync(file))
      const text = yield* eventually(() => (existsSync(file) ? readFileSync(file, "utf8") : null))
      const document = yield* decode(text)
      assert.strictEqual(document.host.pid, process.pid)
      assert.deepStrictEqual(
        { usd: document.maxRunUsd, drain: document.drainMs, term: document.termDrainMs, repeat: document.repeat },
        { usd: 5, drain: 1000, term: 500, repeat: null }
      )
      assert.strictEqual(document.snapshot.counts.finished, 1)
      const flying = document.inFlight.toSorted((a, b) => (a.caseId < b.caseId ? -1 : 1))
      assert.deepStrictEqual(
        flying.map(({ caseId, failedAttempts, retryAt }) => [caseId, failedAttempts, retryAt !== null]),
        [
          ["broken", 1, true],
          ["hangs", 0, false]
        ]
      )
      const tags = document.events.map(({ _tag }) => _tag)
      assert.deepStrictEqual(tags, ["RunStarted", "AttemptFailed"])
      assert.strictEqual(document.told, 2)
      // The file is small whatever providers say; the record is whole.
      assert.isBelow(text.length, 4000)
      assert.deepStrictEqual(yield* Effect.map(run.live, ({ inFlight }) => inFlight.length), 2)
      yield* run.stopNow("cancelled")
      yield* run.result
      assert.deepStrictEqual(liveFilesBeside(project.output.db), [])
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )

  it.live("is never written by a run that is over at once", () =>
    Effect.gen(function* () {
      const project = yield* Project.load(yield* workshop(["quick"]))
      const run = yield* Arena.start(project)
      yield* run.result
      assert.deepStrictEqual(liveFilesBeside(project.output.db), [])
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )

  it.live("does not matter where it cannot be written", () =>
    Effect.gen(function* () {
      const project = yield* Project.load(yield* workshop(["quick", "hangs"]))
      const run = yield* Arena.start(project)
      const file = fileOf(project.output.db, run.id)
      // A folder in its way: no file can have this name.
      mkdirSync(join(`${file}.tmp`, "taken"), { recursive: true })
      yield* Effect.sleep("900 millis")
      assert.isFalse(existsSync(file))
      assert.strictEqual((yield* run.snapshot).counts.finished, 1)
      yield* run.stopNow("cancelled")
      const report = yield* run.result
      assert.strictEqual(report.run.status, "partial")
      assert.deepStrictEqual(report.problems, [])
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )

  it.live("is not believed after a crash, and taken away by the next opening for writing", () =>
    Effect.gen(function* () {
      const folder = yield* workshop(["quick", "hangs"])
      const project = yield* Project.load(folder)
      const database = project.output.db
      const child = yield* ChildProcess.start(runner, folder)
      const id = yield* child.line
      const file = fileOf(database, id)
      yield* eventually(() => (existsSync(file) ? file : null))
      const read = makeLiveReader(database, id)
      const alive = yield* interrupted(database, id)
      const document = alive === null ? null : read(alive)
      assert.strictEqual(document?.host.pid, child.pid)
      assert.deepStrictEqual(
        document?.inFlight.map(({ caseId }) => caseId),
        [CaseId.make("hangs")]
      )
      yield* child.signal("SIGKILL")
      yield* child.exit
      assert.isTrue(existsSync(file))
      const torn = `${file}.tmp`
      writeFileSync(torn, "{")
      const dead = yield* interrupted(database, id)
      assert.strictEqual(dead?.liveness, "gone")
      assert.isNull(dead === null ? null : read(dead))
      // Files of runs that this database does not know may belong to another one in the same folder.
      const foreign = join(dirname(database), ".live-run_of_somebody_else.json")
      writeFileSync(foreign, "{}")
      yield* Effect.provide(
        ResultStore.use((store) => store.run("latest")),
        ResultStore.layer(database)
      )
      assert.isFalse(existsSync(file))
      assert.isFalse(existsSync(torn), "nor does what was being written stay")
      assert.isTrue(existsSync(foreign))
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )

  it.live("is not believed about another part of the run, nor when it is torn", () =>
    Effect.gen(function* () {
      const project = yield* Project.load(yield* workshop(["hangs"]))
      const run = yield* Arena.start(project)
      const file = fileOf(project.output.db, run.id)
      const text = yield* eventually(() => (existsSync(file) ? readFileSync(file, "utf8") : null))
      const pulse = yield* interrupted(project.output.db, run.id)
      if (pulse === null) throw new Error("no run")
      const read = makeLiveReader(project.output.db, run.id)
      const cell = { contestant: ContestantKey.make("one"), caseId: CaseId.make("hangs"), trial: 1 }
      assert.include(read(pulse)?.inFlight[0], cell)
      assert.isNull(read({ ...pulse, segment: 2 }))
      assert.isNull(read({ ...pulse, liveness: "gone" }))
      writeFileSync(file, text.slice(0, 200))
      assert.isNull(read(pulse))
      yield* run.stopNow("cancelled")
      yield* run.result
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )
})
