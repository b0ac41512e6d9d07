import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { make as target } from "@agent-arena/core/connector/Target"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { TargetRun } from "@agent-arena/core/domain/Contestant"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Project from "@agent-arena/core/project/Project"
import { playOf } from "@agent-arena/core/scenario/view/ScenarioOfResult"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const three = `scenario: three
entry: a
nodes:
  a: { prompt: "A?", verify: { contains: ok } }
  b: { prompt: "B?", verify: { contains: ok } }
  c: { prompt: "C?", verify: { contains: ok } }
edges: [{ from: a, to: b }, { from: b, to: c }]
outcomes: { all: { all_turns: { verify_result: true } } }
score: all
`

/** A project folder with scenarios and one simulated model. */
const folderOf = (scenarios: Readonly<Record<string, string>>, config: Readonly<Record<string, unknown>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-plays-"))
      mkdirSync(join(folder, "scenarios"))
      for (const [name, text] of Object.entries(scenarios)) writeFileSync(join(folder, "scenarios", name), text)
      const models = [{ key: "m", model: "mock:m", params: { mode: "fixed", text: "ok 7" } }]
      const run = { retries: 0, concurrency: 1 }
      writeFileSync(join(folder, "config.json"), JSON.stringify({ project: "p", models, run, ...config }))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const storedBy = (project: Project.Project) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
      const run = yield* store.run("latest")
      const results: Array<CallResult> = run === null ? [] : [...(yield* Stream.runCollect(store.results(run.runId)))]
      return results
    })
  )

/** Runs one inline target over a scenario; `during` is told of the run while it goes on. */
const runTarget = (
  folder: string,
  answer: TargetRun<never>,
  options: StartOptions = {},
  during: (run: RunHandle) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const loaded = yield* Project.load(folder)
      const project = Project.withContestants({ ...loaded, contestants: [] }, [target("t", answer)])
      const run = yield* Arena.start(project, options)
      yield* Effect.forkScoped(during(run))
      yield* run.result
      return yield* storedBy(project)
    })
  ).pipe(Effect.provide(Arena.layer))

describe("a scenario in a cell", () => {
  /** Plays `three` once, changes its file, and takes the run over: what was asked then, and the cell of the new run. */
  const playedAgain = (change: (text: string) => string, says: (question: string) => string = () => "ok") =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "three.yaml": three })
      const asked: Array<string> = []
      const answer: TargetRun<never> = ({ messages }) =>
        Effect.sync(() => {
          const question = String(messages.at(-1)?.content)
          asked.push(question)
          return says(question)
        })
      yield* runTarget(folder, answer)
      assert.deepStrictEqual(asked.splice(0), ["A?", "B?", "C?"])
      writeFileSync(join(folder, "scenarios", "three.yaml"), change(three))
      const [again] = yield* runTarget(folder, answer, { reuse: "latest" })
      return { asked, again }
    })

  it.live("is judged anew when only its checks or outcomes have changed; nothing is asked again", () =>
    Effect.gen(function* () {
      const { again, asked } = yield* playedAgain((text) =>
        text.replace('"C?", verify: { contains: ok }', '"C?", verify: { contains: never }')
      )
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual([again?.score, again?.status], [0, "ok"])
      assert.deepStrictEqual(again === undefined ? [] : playOf(again)?.turns.map(({ verifyResult }) => verifyResult), [
        true,
        true,
        false
      ])
    }).pipe(Effect.scoped)
  )

  it.live("asks anew from where another edge leads to another conversation, though node and visit are the same", () =>
    Effect.gen(function* () {
      const { again, asked } = yield* playedAgain((text) =>
        text.replace(
          "{ from: a, to: b }, { from: b, to: c }",
          "{ from: a, to: c, when: { verify_result: true } }, { from: a, to: b }, { from: b, to: c }"
        )
      )
      assert.deepStrictEqual(asked, ["C?"])
      assert.deepStrictEqual(again === undefined ? [] : playOf(again)?.path, ["a", "c"])
      assert.deepStrictEqual(again === undefined ? [] : playOf(again)?.turns.map(({ source }) => source), [
        "replay",
        "live"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("asks everything anew when a prompt has changed", () =>
    Effect.gen(function* () {
      const { asked } = yield* playedAgain((text) => text.replace("B?", "B, please?"))
      assert.deepStrictEqual(asked, ["A?", "B, please?", "C?"])
    }).pipe(Effect.scoped)
  )

  it.live("has the place of a match as a metric, and none where nothing matches", () =>
    Effect.gen(function* () {
      const outcomes = `outcomes:
  second: { first_match_index: { node: b } }
  never: { first_match_index: { node: a, verify_result: false } }
  all: { all_turns: { verify_result: true } }`
      const folder = yield* folderOf({ "three.yaml": three.replace(/^outcomes:.*$/m, outcomes) })
      const [played] = yield* runTarget(folder, () => Effect.succeed("ok"))
      assert.deepStrictEqual(played?.metrics, { turns: 3, second: 1, all: 1 })
      assert.deepInclude(played === undefined ? {} : playOf(played)?.outcomes, { second: 1, never: -1 })
    }).pipe(Effect.scoped)
  )

  it.live("that fails keeps its turns, and is gone on with from the failed one", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "three.yaml": three })
      const world = { broken: true, asked: [] as string[] }
      const answer: TargetRun<never> = ({ messages }) =>
        Effect.suspend(() => {
          const question = String(messages.at(-1)?.content)
          world.asked.push(question)
          return world.broken && question === "C?"
            ? Effect.fail(GenerationErrors.make({ reason: "invalid_request", detail: "broken today" }))
            : Effect.succeed("ok")
        })
      const [failed] = yield* runTarget(folder, answer)
      assert.deepStrictEqual([failed?.status, failed?.score, failed?.error?.kind], ["error", null, "generation"])
      assert.include(failed?.error?.message ?? "", "turn 2 (c)")
      assert.strictEqual(failed === undefined ? null : playOf(failed)?.turns.length, 3)

      world.broken = false
      world.asked = []
      const [resumed] = yield* runTarget(folder, answer, { resume: "latest" })
      assert.deepStrictEqual(world.asked, ["C?"])
      assert.deepStrictEqual([resumed?.status, resumed?.score], ["ok", 1])
      assert.deepStrictEqual(resumed === undefined ? [] : playOf(resumed)?.turns.map(({ source }) => source), [
        "replay",
        "replay",
        "live"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("that is stopped keeps what it has, and goes on at the turn where it was", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "three.yaml": three })
      const reached = yield* Deferred.make<void>()
      const world = { hangs: true, asked: 0 }
      const answer: TargetRun<never> = ({ messages }) =>
        Effect.suspend(() => {
          world.asked += 1
          if (!world.hangs || String(messages.at(-1)?.content) !== "B?") return Effect.succeed("ok")
          return Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
        })
      const [stopped] = yield* runTarget(folder, answer, {}, (run) =>
        Effect.andThen(Deferred.await(reached), run.stopNow("cancelled"))
      )
      assert.deepStrictEqual([stopped?.stopReason, stopped?.score], ["run_stopped", null])
      const kept = stopped === undefined ? null : playOf(stopped)
      assert.deepStrictEqual([kept?.status, kept?.turns.map(({ node }) => node)], ["run_stopped", ["a"]])

      world.hangs = false
      world.asked = 0
      const [resumed] = yield* runTarget(folder, answer, { resume: "latest" })
      assert.deepStrictEqual([world.asked, resumed?.score], [2, 1])
    }).pipe(Effect.scoped)
  )

  it.live("asks the judge of the project for fields, apart from what its answers cost", () =>
    Effect.gen(function* () {
      const judged = `scenario: judged
entry: a
nodes: { a: { prompt: "How many?", parse: { count: { judge: "The number that is named", type: number } } } }
outcomes: { seven: { last_turn: { parsed.count: 7 } } }
score: seven
`
      const judge = { model: "mock:judge", params: { mode: "fixed", text: '{"count": 7}' } }
      const folder = yield* folderOf({ "judged.yaml": judged }, { judge })
      const project = yield* Project.load(folder)
      const run = yield* Arena.start(project)
      yield* run.result
      const [result] = yield* storedBy(project)
      assert.deepStrictEqual([result?.score, result?.steps.length, result?.scoringSteps?.length], [1, 1, 1])
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )

  it.live("another contestant may answer single turns", () =>
    Effect.gen(function* () {
      const mixed = three.replace('prompt: "B?"', 'prompt: "B?", contestant: "mock:helper"')
      const folder = yield* folderOf({ "mixed.yaml": mixed })
      const [result] = yield* runTarget(folder, () => Effect.succeed("ok"))
      assert.deepStrictEqual(
        result?.steps.map(({ contestant }) => String(contestant)),
        ["t", "mock:helper", "t"]
      )
      assert.strictEqual(result?.score, 0)
    }).pipe(Effect.scoped)
  )

  it.live("is checked before anything is spent, with places", () =>
    Effect.gen(function* () {
      const wrong = three.replace("{ contains: ok } }\n  c", "{ contians: ok } }\n  c").replace("to: c }", "to: d }")
      const folder = yield* folderOf({ "wrong.yaml": wrong })
      const project = yield* Project.load(folder)
      const error = yield* Effect.flip(Arena.check(project))
      const told = error.issues.map(
        ({ message, position }) => `${position.file.split("/").at(-1)}:${position.line} ${message}`
      )
      assert.isTrue(
        told.some((one) => one.startsWith("wrong.yaml:7 ") && one.includes('leads to "d"')),
        told.join("\n")
      )
    }).pipe(Effect.scoped, Effect.provide(Arena.layer))
  )

  it.live("has a name of its own among the cases", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "one.yaml": three, "two.yaml": three })
      const error = yield* Effect.flip(Project.load(folder))
      assert.isTrue(error.issues.some(({ message }) => message.includes("duplicate id")))
    }).pipe(Effect.scoped)
  )
})
