import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import type { ScenarioResult, TurnRecord } from "@agent-arena/core/scenario/model/Turn"
import { lineText, lineWidth } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { frame } from "@agent-arena/tui/src/app/view/Frame.ts"
import { scenarioLines } from "@agent-arena/tui/src/app/view/TurnLines.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { hostile } from "../simulation/Texts.ts"
import { press, running } from "../state/Fixtures.ts"

const turn = (index: number, node: string, fields: Partial<TurnRecord> = {}): TurnRecord => ({
  index,
  node,
  visit: 0,
  agent: "default",
  contestant: "haiku-fast",
  question: `question of ${node}`,
  prompt: `question of ${node}`,
  system: null,
  since: 0,
  given: null,
  output: `answer to ${node}`,
  verifyResult: true,
  score: 1,
  reason: "",
  scores: [],
  parsed: {},
  toolCalls: [],
  usage: unknownUsage,
  costUsd: 0.0012,
  latencyMs: 812,
  tries: 1,
  source: "live",
  handover: null,
  error: null,
  ...fields
})

const play = (turns: ReadonlyArray<TurnRecord>, fields: Partial<ScenarioResult> = {}): ScenarioResult => ({
  scenario: "capital-check",
  hash: "0".repeat(16),
  contestant: "haiku-fast",
  judge: null,
  replicate: null,
  status: "completed",
  limit: null,
  path: turns.map(({ node }) => node),
  turns: [...turns],
  accumulated: {},
  nodeVisits: {},
  outcomes: {},
  score: 1,
  failure: null,
  softFaults: [],
  usage: unknownUsage,
  costUsd: null,
  elapsedMs: 1000,
  ...fields
})

/** The record of the cell under the cursor, as a scenario leaves it. */
const recorded = (scenario: ScenarioResult): CallResult => {
  const { run } = running("finished")
  const [loaded] = run.results.values()
  if (loaded?._tag !== "Ready" || loaded.result === null) throw new Error("no record")
  return { ...loaded.result, trace: { scenario } }
}

const lines = (scenario: ScenarioResult, width = 100): ReadonlyArray<string> =>
  scenarioLines(recorded(scenario), width).map((line) => lineText(line).trimEnd())

/** The whole cell screen with this record. */
const cellScreen = (scenario: ScenarioResult, width: number, height: number): ReadonlyArray<string> => {
  const { run, state, world } = running("finished")
  run.results.set(0, { _tag: "Ready", result: recorded(scenario) })
  const opened = press({ ...state, size: { width, height } }, world, "g", "enter").state
  return frame(opened, world).map(lineText)
}

const conversation = play(
  [
    turn(0, "ask", { parsed: { city: "Canberra", sure: true }, reason: "found Canberra" }),
    turn(1, "press", {
      agent: "sceptic",
      system: "You doubt everything.",
      prompt: "Before: …\nquestion of press",
      handover: "transcript_prepend",
      verifyResult: false,
      score: 0.25,
      tries: 3,
      scores: [
        { scorer: "contains", weight: 1, score: 0, passed: false, reason: "no Canberra", detail: {}, metrics: {} },
        { scorer: "regex", weight: 1, score: 0.5, passed: true, reason: "", detail: {}, metrics: {} }
      ],
      source: "cache",
      toolCalls: [{ name: "search", input: "capital" }]
    }),
    turn(2, "press", { visit: 1, verifyResult: null, score: null, output: "", costUsd: null })
  ],
  {
    accumulated: { claim: "Canberra", seen: [1, 2] },
    outcomes: { firm: true, turns: 3, teachable: null },
    softFaults: [
      { turn: 0, where: "start", field: "", message: "no state" },
      { turn: 2, where: "edge press -> END", field: "parsed.city", message: "missing" }
    ]
  }
)

describe("the turns of a scenario", () => {
  it("read as a conversation: node, agent, handover, prompt, answer, verdict, what was parsed, state and outcomes", () => {
    expect(lines(conversation)).toEqual([
      `─ Turns completed · ask → press → press ${"─".repeat(60)}`,
      "   ! fault  start: no state",
      " 1 ask  default  ✓ passed  1.000  812ms  $0.0012",
      "   asked    question of ask",
      "   answered answer to ask",
      "   judged   found Canberra",
      "   parsed   city Canberra",
      "            sure true",
      "",
      " 2 press  sceptic  ✗ not passed  0.250  812ms  $0.0012  3 tries  from cache",
      "   handover transcript_prepend, with the conversation from turn 1 on",
      "   system   You doubt everything.",
      "   asked    question of press",
      "   sent     Before: …",
      "            question of press",
      "   answered answer to press",
      "   tools    {",
      '              "name": "search",',
      '              "input": "capital"',
      "            }",
      "   judged   contains 0.000: no Canberra",
      "   judged   regex 0.500",
      "   ! fault  edge press -> END, parsed.city: missing",
      "",
      " 3 press  visit 2  default  - not verified  812ms  —",
      "   asked    question of press",
      "   answered (an empty answer)",
      "",
      "   outcomes firm yes",
      "            turns 3",
      "            teachable —",
      "   state    claim Canberra",
      "            seen [1,2]",
      ""
    ])
  })

  it("say which turn failed, where and why, and keep those before it", () => {
    const reason = "the provider refused"
    const failed = play(
      [turn(0, "ask"), turn(1, "press", { output: null, error: reason, verifyResult: null, score: null })],
      {
        status: "error",
        score: null,
        failure: { node: "press", turn: 1, category: "rate_limit", stage: "GenerateAnswer", reason }
      }
    )
    const shown = lines(failed).join("\n")
    expect(shown).toContain("─ Turns error · ask → press")
    expect(shown).toContain("   answered answer to ask")
    expect(shown).toMatch(/2 press {2}default {2}! failed {2}812ms/)
    expect(shown).toContain("   failed   the provider refused")
    expect(shown).toContain("   ended    GenerateAnswer of press, turn 2 (rate_limit): the provider refused")
    expect(shown).not.toContain("answered (")
  })

  it("say which limit ended them", () => {
    const shown = lines(play([turn(0, "ask")], { status: "limit_reached", limit: "turns" })).join("\n")
    expect(shown).toContain("─ Turns limit reached (turns) · ask")
    expect(shown).toContain("   ended    by its limit of turns")
  })

  it("are nothing for an ordinary cell, nor for a trace that is none", () => {
    const result = recorded(conversation)
    expect(scenarioLines({ ...result, trace: null }, 100)).toEqual([])
    expect(scenarioLines({ ...result, trace: { scenario: { turns: "many" } } }, 100)).toEqual([])
  })

  it("stand on the cell's screen at every size", () => {
    for (const [width, height] of [
      [40, 12],
      [80, 24],
      [200, 50],
      [300, 100]
    ] as const) {
      const screen = cellScreen(conversation, width, height)
      expect(screen).toHaveLength(height)
      expect(screen.join("\n")).toContain("─ Turns completed")
      expect(screen.join("\n")).toContain(" 1 ask")
      expect(screen.join("\n")).toContain("asked    question of ask")
    }
  })

  it("fit any width and hold nothing that could control the terminal, whatever was said", () => {
    const text = fc.constantFrom(...hostile, "", "plain")
    const anyTurn = fc.record({
      node: text,
      agent: text,
      question: text,
      prompt: text,
      output: fc.option(text),
      error: fc.option(text),
      reason: text,
      handover: fc.option(text),
      system: fc.option(text),
      parsed: fc.dictionary(text, fc.jsonValue(), { maxKeys: 2 }),
      toolCalls: fc.array(fc.jsonValue(), { maxLength: 1 })
    })
    fc.assert(
      fc.property(
        fc.array(anyTurn, { maxLength: 3 }),
        text,
        fc.integer({ min: 20, max: 200 }),
        (turns, word, width) => {
          const scenario = play(
            turns.map((fields, index) => turn(index, fields.node, fields)),
            {
              accumulated: { [word]: word },
              outcomes: { [word]: null },
              failure: { node: word, turn: 0, category: "target", stage: "Handover", reason: word },
              softFaults: [{ turn: 0, where: word, field: word, message: word }]
            }
          )
          for (const line of scenarioLines(recorded(scenario), width)) {
            expect(lineText(line)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
            // Heads are cut where they are shown; what may be long is wrapped here.
            if (lineText(line).startsWith("   ")) expect(lineWidth(line)).toBeLessThanOrEqual(Math.max(width, 21))
          }
          for (const row of cellScreen(scenario, Math.max(40, width), 24)) expect(row).not.toMatch(/\p{Cc}/u)
        }
      ),
      { numRuns: 30 }
    )
  })
})
