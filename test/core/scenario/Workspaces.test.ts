import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type CellContext,
  type InnerRequest,
  type ScenarioTurn,
  unknownUsage
} from "@agent-arena/core/domain/Generation"
import * as Scores from "@agent-arena/core/domain/Score"
import type { Scorer } from "@agent-arena/core/domain/Scorer"
import type { JudgeSettings } from "@agent-arena/core/domain/Settings"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { runBatch } from "@agent-arena/core/scenario/executor/ScenarioExecutor"
import { compile } from "@agent-arena/core/scenario/play/Compiled"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play } from "@agent-arena/core/scenario/play/Play"
import type { Respond } from "@agent-arena/core/scenario/play/PlayContext"
import { traceXml } from "@agent-arena/core/scenario/trace/TraceXml"
import { answerEntry, transcript, turnsOf, userEntry } from "@agent-arena/core/scenario/trace/Transcript"
import * as ScorerRegistry from "@agent-arena/core/scoring/ScorerRegistry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { answer, compiledOf, scenarioOf } from "./plays.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-workspaces-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const twoTurns = (verify: string) => `
scenario: two turns
entry: a
nodes: { a: { prompt: "A?", verify: ${verify} }, b: { prompt: "B?", verify: ${verify} } }
edges: [{ from: a, to: b }]
`

/** A scorer of a project that passes everything and notes what it was told of the turn. */
const noting = (seen: Array<ScenarioTurn | undefined>, cells: Array<CellContext> = []): Scorer => ({
  name: "agentic",
  description: "reads the conversation",
  requiresReference: false,
  score: ({ cell }) => {
    seen.push(cell.scenario)
    cells.push(cell)
    return Scores.make(1, { reason: "read" })
  },
  check: () => [],
  source: "scorers/agentic.ts"
})

describe("workspaces", () => {
  it.live("exist for each turn, apart for scenario, contestant, judge and replicate", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const compiled = compiledOf(twoTurns("{ contains: ok }"))
      const combos = ["strict", "kind"].map((judge) => ({ compiled, contestant: "ans/1", judge, replicate: 0 }))
      const { errors } = yield* runBatch(combos, {
        open: Effect.succeed({ respond: () => Effect.succeed(answer("ok")) }),
        workspaceRoot: root
      })
      assert.deepStrictEqual(errors, [])
      for (const judge of ["strict", "kind"]) {
        assert.deepStrictEqual(readdirSync(join(root, "two_turns", "ans_1", judge, "rep_0")).toSorted(), [
          "turn_0",
          "turn_1"
        ])
      }
    })
  )

  it.live("are apart for names in any script", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const compiled = compiledOf(twoTurns("{ contains: ok }"))
      const combos = ["甲", "乙"].map((contestant) => ({ compiled, contestant, judge: null, replicate: 0 }))
      const folders: Array<string | undefined> = []
      const respond: Respond = ({ workspace }) =>
        Effect.sync(() => {
          folders.push(workspace)
          return answer("ok")
        })
      yield* runBatch(combos, { open: Effect.succeed({ respond }), workspaceRoot: root })
      assert.strictEqual(new Set(folders).size, 4)
      assert.lengthOf(readdirSync(join(root, "two_turns")), 2)
    })
  )

  it.live("that cannot be made cost no turn", () =>
    Effect.gen(function* () {
      const compiled = compiledOf(twoTurns("{ contains: ok }"))
      const respond = () => Effect.succeed(answer("ok"))
      const result = yield* play(
        compiled,
        plainContext({ scenario: "two turns", contestant: "ans", respond, workspace: import.meta.filename })
      )
      assert.deepStrictEqual([result.status, result.softFaults.length], ["completed", 2])
      assert.strictEqual(result.softFaults[0]?.where, "workspace")
    })
  )
})

/** A batch of one scenario under two judges whose agent leaves a file in the folder of its turn. */
const leavingFiles = (root: string, keepWorkspaces: boolean, text = "ok") => {
  const compiled = compiledOf(twoTurns("{ contains: ok }"))
  const asked: Array<string | undefined> = []
  const respond: Respond = ({ node, workspace }) =>
    Effect.sync(() => {
      asked.push(workspace)
      writeFileSync(join(workspace ?? "", "made.txt"), node)
      if (text === "fail") throw new Error("broken")
      return answer(text)
    })
  const combos = ["strict", "kind"].map((judge) => ({ compiled, contestant: "ans", judge, replicate: 0 }))
  const batch = runBatch(combos, {
    open: Effect.succeed({ respond }),
    workspaceRoot: root,
    keepWorkspaces,
    parallel: false
  })
  return Effect.map(batch, ({ results }) => ({ asked, results }))
}

describe("what an agent leaves in its folder", () => {
  it.live("goes with an answer that combos share", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const { asked } = yield* leavingFiles(root, true)
      const play = (judge: string) => join(root, "two_turns", "ans", judge, "rep_0")
      assert.deepStrictEqual(asked, [join(play("strict"), "turn_0"), join(play("strict"), "turn_1")])
      assert.strictEqual(readFileSync(join(play("kind"), "turn_1", "made.txt"), "utf8"), "b")
    })
  )

  it.live("is removed when it is not to be kept, but for plays that can be gone on with", () =>
    Effect.gen(function* () {
      const ended = yield* temporary
      yield* leavingFiles(ended, false)
      const failed = yield* temporary
      yield* leavingFiles(failed, false, "fail")
      const files = (root: string) =>
        readdirSync(root, { recursive: true }).filter((file) => String(file).endsWith("made.txt"))
      assert.deepStrictEqual([files(ended).length, files(failed).length], [0, 2])
    })
  )
})

/** A project with one scenario, an agent that writes a file, and a scorer that lets another agent look at it. */
const projectWith = (output: Readonly<Record<string, unknown>>) =>
  Effect.map(temporary, (folder) => {
    mkdirSync(join(folder, "scenarios"))
    mkdirSync(join(folder, "scorers"))
    writeFileSync(
      join(folder, "agents.ts"),
      `import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
export const solve = (prompt, { scenario }) => {
  writeFileSync(join(scenario.workspace, "solution.txt"), prompt)
  return scenario.trace === null ? "solved" : "told too much"
}
export const inspect = (prompt, { scenario }) =>
  existsSync(join(scenario.workspace, "solution.txt")) && scenario.trace.includes("solved")
    ? readFileSync(join(scenario.workspace, "solution.txt"), "utf8")
    : "nothing"
`
    )
    writeFileSync(
      join(folder, "scorers", "inspected.ts"),
      `export default async (output, reference, { cell }) => {
  const { Effect } = await import("effect")
  const { text } = await Effect.runPromise(cell.generate("inspector", { prompt: "Look." }))
  return text === reference
}
`
    )
    writeFileSync(
      join(folder, "scenarios", "build.yaml"),
      `scenario: build
entry: a
nodes: { a: { prompt: "Build it.", verify: { type: inspected, expected: Build it. } } }
outcomes: { good: { all_turns: { verify_result: true } } }
score: good
`
    )
    const targets = [
      { key: "solver", run: "agents.ts:solve" },
      { key: "inspector", run: "agents.ts:inspect", enabled: false }
    ]
    const config = { project: "p", targets, scorers: { paths: ["scorers"] }, run: { retries: 0 }, output }
    writeFileSync(join(folder, "config.json"), JSON.stringify(config))
    return folder
  })

const runOf = (folder: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const project = yield* Project.load(folder)
      const run = yield* Arena.start(project)
      return (yield* run.result).run
    })
  ).pipe(Effect.provide(Arena.layer))

describe("an agent in a run", () => {
  it.live("works in the folder of its turn, and another one checks what it did there", () =>
    Effect.gen(function* () {
      const folder = yield* projectWith({})
      const { counts, runId } = yield* runOf(folder)
      assert.deepStrictEqual([counts.finished, counts.errored], [1, 0])
      const turn = join(folder, "results", "workspaces", runId, "build", "solver", "rep_1", "turn_0")
      assert.strictEqual(readFileSync(join(turn, "solution.txt"), "utf8"), "Build it.")
    })
  )

  it.live("has its folders where the project says, and no longer than it says", () =>
    Effect.gen(function* () {
      const kept = yield* projectWith({ workspaces: "work" })
      const { runId } = yield* runOf(kept)
      assert.deepStrictEqual(readdirSync(join(kept, "work", runId, "build", "solver")), ["rep_1"])
      const removed = yield* projectWith({ workspaces: true, keep_workspaces: false })
      const run = yield* runOf(removed)
      assert.deepStrictEqual(readdirSync(join(removed, "results", "workspaces", run.runId, "build", "solver")), [])
    })
  )
})

describe("a scorer of the project", () => {
  const checked = (text: string, seen: Array<ScenarioTurn | undefined>, workspace: string | null) => {
    const compiled = compile(scenarioOf(twoTurns("{ type: agentic }")), ScorerRegistry.fromScorers([noting(seen)]))
    const respond = () => Effect.succeed(answer(text))
    return play(compiled, plainContext({ scenario: "two turns", contestant: "ans", respond, workspace }))
  }

  it.live("is told of the turn and its conversation", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const seen: Array<ScenarioTurn | undefined> = []
      yield* checked("a < b", seen, folder)
      assert.deepStrictEqual(
        seen.map((turn) => [turn?.node, turn?.turn, turn?.workspace, turn?.traceFile]),
        [
          ["a", 0, join(folder, "turn_0"), null],
          ["b", 1, join(folder, "turn_1"), null]
        ]
      )
      assert.include(seen[1]?.trace ?? "", '<turn number="2">')
      assert.include(seen[1]?.trace ?? "", "a &lt; b")
      assert.isTrue(existsSync(join(folder, "turn_1")))
    })
  )

  it.live("finds a long conversation in a file", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const seen: Array<ScenarioTurn | undefined> = []
      yield* checked("long ".repeat(600), seen, folder)
      const file = seen[0]?.traceFile ?? ""
      assert.strictEqual(file, join(folder, "turn_0", "traces", "a_check_turn0_trace.txt"))
      assert.include(readFileSync(file, "utf8"), 'offloaded="true"')
    })
  )

  it.live("has the text where there is no place for files", () =>
    Effect.gen(function* () {
      const seen: Array<ScenarioTurn | undefined> = []
      yield* checked("long ".repeat(600), seen, null)
      assert.deepStrictEqual([seen[0]?.workspace, seen[0]?.traceFile], [null, null])
      assert.isAbove(seen[0]?.trace?.length ?? 0, 3_000)
    })
  )
})

describe("a judge", () => {
  it.effect("is shown the conversation where its prompt asks for it, and works on the same turn", () =>
    Effect.gen(function* () {
      const judge: JudgeSettings = {
        model: "mock:judge",
        provider: null,
        apiKeyEnv: null,
        apiBase: null,
        system: null,
        maxTokens: 100,
        temperature: null,
        params: {}
      }
      const registry = yield* ScorerRegistry.make({
        root: tmpdir(),
        settings: { default: "exact_match", paths: [], options: {} },
        customScorers: [],
        importModule: () => Effect.succeed({}),
        judge
      })
      const verify = '{ type: llm_judge, params: { prompt: "{output} after {trace} {rubric}" } }'
      const compiled = compile(scenarioOf(twoTurns(verify)), registry)
      const asked: Array<InnerRequest> = []
      const plain = plainContext({
        scenario: "two turns",
        contestant: "ans",
        respond: ({ node }) => Effect.succeed(answer(`from ${node}`))
      })
      const generate: CellContext["generate"] = (_, request) => {
        asked.push(request)
        return Effect.succeed({ text: '{"score": 1}', usage: unknownUsage, costUsd: null, latencyMs: 1 })
      }
      const result = yield* play(compiled, { ...plain, cell: { ...plain.cell, generate } })
      assert.strictEqual(result.status, "completed")
      assert.include(asked[1]?.prompt ?? "", "from a")
      assert.include(asked[1]?.prompt ?? "", '<turn number="2">')
      assert.deepStrictEqual([asked[1]?.scenario?.node, asked[1]?.scenario?.turn], ["b", 1])
    })
  )
})

describe("a judge of fields", () => {
  it.effect("is told which turn and which conversation it reads", () =>
    Effect.gen(function* () {
      const text = twoTurns("{ contains: ok }").replace('"B?",', '"B?", parse: { tone: { judge: "Which tone?" } },')
      const told: Array<ScenarioTurn | undefined> = []
      const result = yield* play(
        compiledOf(text),
        plainContext({
          scenario: "two turns",
          contestant: "ans",
          respond: ({ node }) => Effect.succeed(answer(`ok from ${node}`)),
          ask: (_, turn) =>
            Effect.sync(() => {
              told.push(turn)
              return '{"tone": "calm"}'
            })
        })
      )
      assert.deepStrictEqual(result.turns[1]?.parsed, { tone: "calm" })
      assert.deepStrictEqual([told.length, told[0]?.node, told[0]?.workspace], [1, "b", null])
      assert.include(told[0]?.trace ?? "", "ok from a")
    })
  )
})

describe("results of tools", () => {
  const calls = [
    { toolCallId: "1", toolName: "search", input: { q: "Io" } },
    { toolCallId: "2", toolName: "read", input: {} }
  ]

  it("stand after their calls, by id or by place", () => {
    const byId = [
      { toolCallId: "2", output: "page" },
      { toolCallId: "1", output: { hits: 3 } }
    ]
    const text = transcript([userEntry("Find it."), answerEntry("guide", "Done.", calls, byId)])
    assert.strictEqual(
      text,
      [
        "[__user__] Find it.",
        '[guide:assistant:tool_use] search(q="Io")',
        '[guide:tool:tool_result] {"hits":3}',
        "[guide:assistant:tool_use] read()",
        "[guide:tool:tool_result] page",
        "[guide:assistant:text] Done."
      ].join("\n")
    )
    assert.deepStrictEqual(
      answerEntry("guide", "Done.", calls, ["same", "same"]).blocks.map(({ type }) => type),
      ["tool_use", "tool_result", "tool_use", "tool_result", "text"]
    )
  })

  it("are elements of a written conversation", () => {
    const log = [userEntry("Find it."), answerEntry("guide", "Done.", calls.slice(0, 1), [{ output: "<3>" }])]
    assert.include(
      traceXml(turnsOf(log), null).xml,
      ['    <tool_result name="search">', "      &lt;3&gt;", "    </tool_result>"].join("\n")
    )
  })

  it.effect("reach the record of the turn", () =>
    Effect.gen(function* () {
      const compiled = compiledOf(twoTurns("{ contains: ok }"))
      const respond = () => Effect.succeed({ ...answer("ok"), toolCalls: calls, toolResults: ["r1", "r2"] })
      const result = yield* play(compiled, plainContext({ scenario: "two turns", contestant: "ans", respond }))
      assert.deepStrictEqual(result.turns[0]?.toolResults, ["r1", "r2"])
    })
  )
})
