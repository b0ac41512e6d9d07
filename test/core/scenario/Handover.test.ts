import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Respond, TurnRequest } from "@agent-arena/core/scenario/play/PlayContext"
import { defaultThreshold, thresholdFrom, transcriptDigest } from "@agent-arena/core/scenario/trace/MaterialiseTrace"
import { traceXml } from "@agent-arena/core/scenario/trace/TraceXml"
import { type LogEntry, systemEntry, transcript, turnsOf, userEntry } from "@agent-arena/core/scenario/trace/Transcript"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { answer, playText, sent } from "./plays.ts"

const log: ReadonlyArray<LogEntry> = [
  systemEntry("guide", "Be terse."),
  userEntry("What is the capital of Australia?"),
  { role: "assistant", agent: "guide", blocks: [{ type: "text", text: "Canberra." }] }
]

const lines = [
  "[guide:system:text] Be terse.",
  "[__user__] What is the capital of Australia?",
  "[guide:assistant:text] Canberra."
].join("\n")

const audited = (handover: string) => `
scenario: audited
entry: ask
nodes:
  ask: { prompt: "What is the capital of Australia?", system: Be terse., agent_identity: guide }
  audit: { prompt: "Audit it.", system: You audit., agent_identity: auditor }
  more: { prompt: "Go on.", system: You audit., agent_identity: auditor }
edges:
  - { from: ask, to: audit, handover: ${handover} }
  - { from: audit, to: more }
`

const recording = () => {
  const requests: Array<TurnRequest> = []
  const texts: Readonly<Record<string, string>> = { ask: "Canberra.", audit: "It is right.", more: "Done." }
  const respond: Respond = (request) => {
    requests.push(request)
    return Effect.succeed(answer(texts[request.node] ?? ""))
  }
  return { requests, respond }
}

describe("a transcript", () => {
  it("has a labelled line for each block", () => {
    assert.strictEqual(transcript(log), lines)
    assert.strictEqual(transcriptDigest(log), "1bcde65cf7")
    assert.strictEqual(transcript([]), "")
  })
})

describe("handing a conversation over", () => {
  it.effect("puts the transcript before or after the question, and begins a new conversation", () =>
    Effect.gen(function* () {
      const before = recording()
      const result = yield* playText(audited("transcript_prepend"), [], { respond: before.respond })
      const expanded = `${lines}\n\n---\n\nAudit it.`
      assert.deepStrictEqual(before.requests.map(sent)[1], ["system: You audit.", `user: ${expanded}`])
      assert.deepStrictEqual([result.turns[1]?.question, result.turns[1]?.prompt], ["Audit it.", expanded])
      assert.deepStrictEqual(before.requests.map(sent)[2], [
        "system: You audit.",
        `user: ${expanded}`,
        "assistant: It is right.",
        "user: Go on."
      ])
      const after = recording()
      yield* playText(audited("transcript_append"), [], { respond: after.respond })
      assert.deepStrictEqual(after.requests.map(sent)[1]?.[1], `user: Audit it.\n\n---\n\n${lines}`)
    })
  )

  it.effect("sends the system prompt of another agent on that very turn", () =>
    Effect.gen(function* () {
      const { requests, respond } = recording()
      yield* playText(audited("none"), [], { respond })
      assert.deepStrictEqual(requests.map(sent)[1], [
        "system: You audit.",
        "user: What is the capital of Australia?",
        "assistant: Canberra.",
        "user: Audit it."
      ])
    })
  )

  it.effect("writes the transcript to a file that the prompt names", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-traces-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const { requests, respond } = recording()
      const result = yield* playText(audited("transcript_materialize"), [], { respond, workspace: folder })
      assert.strictEqual(result.status, "completed")
      const path = join(folder, "turn_1", "traces", "audit_1bcde65cf7_handover_turn1_trace.txt")
      const [, prompt = ""] = requests.map(sent)[1] ?? []
      assert.include(prompt, path)
      assert.isTrue(prompt.endsWith("\n\n---\n\nAudit it."))
      assert.notInclude(prompt, "Canberra")
      const body = readFileSync(path, "utf8")
      for (const part of ['<turn number="1">', "Be terse.", "What is the capital of Australia?", "Canberra."]) {
        assert.include(body, part)
      }
      assert.notInclude(body, "Audit it.")
    })
  )

  it.effect("a function that is not there fails the turn, and the turns before it stay", () =>
    Effect.gen(function* () {
      const result = yield* playText(audited('"handovers.ts:missing"'), ["Canberra."])
      assert.deepStrictEqual(
        [result.status, result.failure?.stage, result.turns[0]?.output],
        ["error", "Handover", "Canberra."]
      )
    })
  )

  it.effect("a function decides what the next turn is sent", () =>
    Effect.gen(function* () {
      const { requests, respond } = recording()
      const handOver = (entries: ReadonlyArray<LogEntry>) => [{ role: "user", content: `${entries.length} entries` }]
      const functions = new Map([["handovers.ts:short", handOver as (...args: ReadonlyArray<unknown>) => unknown]])
      yield* playText(audited('"handovers.ts:short"'), [], { respond, functions })
      assert.deepStrictEqual(requests.map(sent)[1], ["system: You audit.", "user: 3 entries", "user: Audit it."])
    })
  )
})

describe("a materialised trace", () => {
  it("is well-formed, and sets long blocks aside", () => {
    const entries: ReadonlyArray<LogEntry> = [
      systemEntry("guide", "Be brief."),
      userEntry("Find <the> orbit of Io"),
      {
        role: "assistant",
        agent: "guide",
        blocks: [
          { type: "text", text: "Looking up." },
          { type: "tool_use", name: "search", input: { q: "Io's orbit", n: 2 } },
          { type: "tool_result", name: "search", text: "x".repeat(1_234) },
          { type: "text", text: "It is 1.77 days & no more." }
        ]
      }
    ]
    const { offloaded, xml } = traceXml(turnsOf(entries), { threshold: 60, pathOf: (file) => `/traces/${file}` })
    assert.strictEqual(
      xml,
      `<turn number="1">
  <system_prompt agent="guide">
    Be brief.
  </system_prompt>
  <user>
    Find &lt;the&gt; orbit of Io
  </user>
  <assistant agent="guide">
    <text>
      Looking up.
    </text>
    <tool_call name="search">
      q=&quot;Io's orbit&quot;, n=2
    </tool_call>
    <tool_result name="search" offloaded="true">
      [Content offloaded: 1,234 chars]
      File: /traces/tool_result_001.txt
    </tool_result>
    <text>
      It is 1.77 days &amp; no more.
    </text>
  </assistant>
</turn>
`
    )
    assert.deepStrictEqual(offloaded, [{ file: "tool_result_001.txt", content: "x".repeat(1_234) }])
  })

  it("takes its threshold from the environment, with a warning for what is no number", () => {
    const name = "ARENA_TRACE_TRUNCATION_THRESHOLD"
    assert.deepStrictEqual(thresholdFrom({ [name]: "60" }), { threshold: 60, warning: null })
    const { threshold, warning } = thresholdFrom({ [name]: "many" })
    assert.strictEqual(threshold, defaultThreshold)
    assert.include(warning ?? "", "many")
  })
})
