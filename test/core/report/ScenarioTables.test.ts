import * as HtmlReport from "@agent-arena/core/report/HtmlReport"
import * as JsonReport from "@agent-arena/core/report/JsonReport"
import * as MarkdownReport from "@agent-arena/core/report/MarkdownReport"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import type { Scenario } from "@agent-arena/core/scenario/model/Scenario"
import type { ScenarioResult } from "@agent-arena/core/scenario/model/Turn"
import { plainContext } from "@agent-arena/core/scenario/play/PlainContext"
import { play } from "@agent-arena/core/scenario/play/Play"
import { scripted } from "@agent-arena/core/scenario/play/ScriptedAnswers"
import { pathsText } from "@agent-arena/core/scenario/view/PathText"
import { collectPlays, type ScenarioStatistics } from "@agent-arena/core/scenario/view/PlayStatistics"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { capitalCheck, compileScenario, scenarioOf } from "../scenario/plays.ts"
import { tables } from "./gfm.ts"
import { hostileText } from "./hostile.ts"
import { report } from "./reports.ts"

const capital = scenarioOf(capitalCheck)

const playOf = (contestant: string, answers: ReadonlyArray<string>, scenario: Scenario = capital) => {
  const respond = scripted(answers)
  return play(compileScenario(scenario), plainContext({ scenario: scenario.name, contestant, respond }))
}

/** Firm twice; wavering once. */
const threePlays = Effect.suspend(() =>
  Effect.all([
    playOf("firm", ["Canberra", "No, it is not Sydney."]),
    playOf("firm", ["Canberra", "No, it is not Sydney."]),
    playOf("wavering", ["Canberra", "Yes, Sydney."])
  ])
)

const collect = (plays: ReadonlyArray<ScenarioResult>, scenarios = new Map([[capital.name, capital]])) => {
  const { add, statistics } = collectPlays(scenarios)
  for (const scenario of plays) add({ trace: { scenario } })
  return statistics()
}

const generatedAt = "2026-01-01T12:00:03.000Z"

const markdownOf = (scenarios: ReadonlyArray<ScenarioStatistics>): string => {
  const input = report()
  const { detail } = ReportDetail.make(input.rules)
  return MarkdownReport.render(ReportModel.make(input), { detail, scenarios, generatedAt, reproduce: null })
}

const htmlOf = (scenarios: ReadonlyArray<ScenarioStatistics>): string => {
  const input = report()
  const { detail } = ReportDetail.make(input.rules)
  return HtmlReport.render(ReportModel.make(input), { detail, scenarios, generatedAt })
}

const rowsUnder = (markdown: string, heading: string) =>
  tables(markdown).find((table) => table.heading === heading)?.rows ?? []

describe("scenarios in reports", () => {
  it.effect("tell which ways each contestant took, how often, and to which score", () =>
    Effect.gen(function* () {
      const markdown = markdownOf(collect(yield* threePlays))
      assert.deepStrictEqual(rowsUnder(markdown, "Paths"), [
        ["firm", "2", "100.0 %", "ask → press", "1.000"],
        ["wavering", "1", "100.0 %", "ask → press", "0.000"]
      ])
      assert.include(markdown, "3 plays (3 completed); nodes visited 67 %, edges taken 50 %.")
    })
  )

  it.effect("tell of each node how many of its turns passed, together and by contestant", () =>
    Effect.gen(function* () {
      const markdown = markdownOf(collect(yield* threePlays))
      assert.deepStrictEqual(rowsUnder(markdown, "Passed by node and contestant"), [
        ["ask", "2 of 2", "1 of 1"],
        ["press", "2 of 2", "0 of 1"],
        ["teach", "—", "—"]
      ])
      const [ask, press, teach] = rowsUnder(markdown, "Turns by node")
      assert.deepStrictEqual(ask?.slice(0, 4), ["ask", "3", "3", "3 of 3"])
      assert.deepStrictEqual(press?.slice(0, 4), ["press", "3", "3", "2 of 3"])
      // Nothing is known of a node that nobody came to, least of all that it takes no time.
      assert.deepStrictEqual(teach, ["teach", "0", "0", "—", "0", "0", "—", "—", "—", "—"])
    })
  )

  it.effect("count edges with the way out, and outcomes by how many plays they could be assessed in", () =>
    Effect.gen(function* () {
      const markdown = markdownOf(collect(yield* threePlays))
      assert.deepStrictEqual(rowsUnder(markdown, "Edges"), [
        ["ask", "press", "3"],
        ["ask", "teach", "0"],
        ["press", "END", "3"],
        ["teach", "END", "0"]
      ])
      const firm = rowsUnder(markdown, "Outcomes, mean (plays)").find(([name]) => name === "firm")
      assert.deepStrictEqual(firm, ["firm", "0.667 (3)", "1.000 (2)", "0.000 (1)"])
    })
  )

  it.effect("keep plays without a match out of the mean place of one", () =>
    Effect.gen(function* () {
      const plays = [...(yield* threePlays), yield* playOf("swayed", ["Perth", "I accept."])]
      const statistics = collect(plays)
      const found = statistics[0]?.all.outcomes.find(({ outcome }) => outcome === "press_at")
      assert.deepStrictEqual(found, { outcome: "press_at", assessed: 4, mean: 1, never: 1 })
      const row = rowsUnder(markdownOf(statistics), "Outcomes, mean (plays)").find(([name]) => name === "press_at")
      assert.deepStrictEqual(row, ["press_at", "1.000 (3, never in 1)", "1.000 (2)", "1.000 (1)", "— (0, never in 1)"])
      assert.include(pathsText(statistics), "  press_at: 1.000 on average of 3, never in 1\n")
    })
  )

  it.effect("do not tell a coverage when the project has the scenario in another version, or no more", () =>
    Effect.gen(function* () {
      const plays = yield* threePlays
      const changed = { ...capital, limits: { ...capital.limits, turns: 3 } }
      const other = yield* playOf("firm", ["Canberra", "not Sydney"], changed)
      const mixed = collect([...plays, other])
      assert.deepInclude(mixed[0]?.all, { nodeCoverage: null, edgeCoverage: null, ofOtherVersions: 1 })
      assert.include(markdownOf(mixed), "coverage unknown: 1 of 4 were plays of another version of it")
      assert.include(
        markdownOf(collect(plays, new Map())),
        "coverage unknown: the project no longer has this scenario as it was played"
      )
    })
  )

  it.effect("are in the JSON report after the results, in snake_case, unknown as null", () =>
    Effect.gen(function* () {
      const statistics = collect(yield* threePlays)
      const options = { generatedAt, parts: null, scenarios: () => statistics }
      const json = JSON.parse(yield* Stream.mkString(JsonReport.render(report(), Stream.empty, options)))
      const [scenario] = json.scenarios
      assert.include(scenario, { scenario: capital.name, plays: 3, edge_coverage: 0.5, soft_faults: 0 })
      assert.deepInclude(scenario.paths, { path: ["ask", "press"], count: 3, share: 1, mean_score: 2 / 3 })
      assert.deepInclude(scenario.nodes[2], { node: "teach", turns: 0, mean_score: null, cost_usd: null })
      assert.deepInclude(scenario.positions[1], { turn: 1, turns: 3, passed: 2, failed: 1 })
      assert.deepInclude(scenario.edges, { from: "press", to: "END", count: 3 })
      assert.deepStrictEqual(
        scenario.contestants.map((one: { contestant: string; plays: number }) => [one.contestant, one.plays]),
        [
          ["firm", 2],
          ["wavering", 1]
        ]
      )
    })
  )

  it.effect("keep only so many different paths and positions apart, and say what is left", () =>
    Effect.gen(function* () {
      const [first] = yield* threePlays
      const [turn] = first.turns
      assert.isDefined(turn)
      const turns = Array.from({ length: 1200 }, (_, index) => ({ ...turn, index }))
      const long = turns.map(
        (_, length): ScenarioResult => ({ ...first, path: turns.slice(0, length).map(() => "ask") })
      )
      const [statistics] = collect([...long, { ...first, turns }])
      assert.isDefined(statistics)
      assert.strictEqual(statistics.all.paths.length, 1000)
      assert.strictEqual(statistics.all.onOtherPaths, 201)
      assert.strictEqual(statistics.all.positions.length, 50)
      assert.strictEqual(statistics.all.laterTurns, 1150)
      const markdown = markdownOf([statistics])
      assert.include(markdown, "firm: and more than 995 other paths")
      assert.include(markdown, "and 1,150 later turns")
    })
  )

  it.effect("show hostile names as text, in both pages", () =>
    Effect.gen(function* () {
      const [first] = yield* threePlays
      fc.assert(
        fc.property(hostileText, hostileText, (name, node) => {
          const hostile = { ...first, scenario: name, contestant: node, path: [node, name] }
          const statistics = collect([hostile])
          const markdown = markdownOf(statistics)
          for (const table of tables(markdown)) {
            for (const row of table.rows) assert.strictEqual(row.length, table.columns.length)
          }
          assert.notMatch(markdown.replaceAll("\n", ""), /\p{Cc}|\p{Bidi_Control}/u)
          const html = htmlOf(statistics)
          assert.notMatch(html.replace(/[\n\t]/g, ""), /\p{Cc}|\p{Bidi_Control}/u)
          assert.notInclude(html, "<script>")
        }),
        { numRuns: 60 }
      )
    })
  )
})
