import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CellContext, ScenarioTurn } from "@agent-arena/core/domain/Generation"
import * as Scores from "@agent-arena/core/domain/Score"
import type { Scorer } from "@agent-arena/core/domain/Scorer"
import { runBatch } from "@agent-arena/core/scenario/executor/ScenarioExecutor"
import { compile } from "@agent-arena/core/scenario/play/Compiled"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play } from "@agent-arena/core/scenario/play/Play"
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
      assert.isAbove(seen[0]?.trace.length ?? 0, 3_000)
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
