import { assert, describe, it } from "@effect/vitest"
import { capitalCheck, readText } from "./plays.ts"

const withEdges = (edges: string, nodes = "a: { prompt: A, verify: { contains: x } }, b: { prompt: B }") => `
scenario: checked
entry: a
nodes: { ${nodes} }
edges:
${edges}
outcomes: { ok: { last_turn: { verify_result: true } } }
score: ok
`

describe("a scenario file", () => {
  it("that is sound has nothing to complain about", () => {
    const { errors, warnings } = readText(capitalCheck)
    assert.deepStrictEqual([errors, warnings], [[], []])
  })

  it("tells everything that is wrong with it at once, with its lines", () => {
    const { errors } = readText(`scenario: wrong
entry: start
turn_limt: 3
nodes:
  ask: { prompt: "", verfy: { contains: x } }
edges:
  - { from: ask, to: nowhere, when: { verify_reslt: true } }
outcomes:
  odd: { any_turm: { verify_result: true } }
score: other
`)
    for (const [line, words] of [
      [3, 'unknown key "turn_limt"'],
      [5, "prompt"],
      [5, 'unknown key "verfy"']
    ] as const) {
      assert.isTrue(
        errors.some((error) => error.startsWith(`${line}:`) && error.includes(words)),
        `${line} ${words} in ${errors.join(" | ")}`
      )
    }
  })

  it("takes tools from a node, as a param of its request", () => {
    const filter = (text: string) =>
      readText(`scenario: tools
entry: a
nodes:
  a:
    prompt: A
    params: { top_p: 1 }
    tool_filter: ${text}
`)
    const sound = filter("{ remove: [{ server: files }, { server: web, tool: post }] }")
    assert.deepStrictEqual(sound.errors, [])
    assert.deepStrictEqual(sound.scenario?.nodes[0]?.params, {
      top_p: 1,
      tool_filter: { remove: [{ server: "files" }, { server: "web", tool: "post" }] }
    })
    for (const [text, words] of [
      ["files", "nodes.a.tool_filter: expected {remove"],
      ["{ remove: [files] }", "nodes.a.tool_filter.remove[0]: expected a mapping with server"],
      ["{ remove: [{ tool: post }] }", "nodes.a.tool_filter.remove[0].server: expected a name, got nothing"],
      ["{ remove: [{ server: web, tols: post }] }", 'unknown key "tols"']
    ] as const) {
      const { errors } = filter(text)
      assert.isTrue(
        errors.length === 1 && errors[0]?.startsWith("7: ") && errors[0].includes(words),
        errors.join(" | ")
      )
    }
  })

  it("tells what is wrong with its graph", () => {
    const { errors } = readText(withEdges("  - { from: a, to: c }\n  - { from: d, to: END }"))
    assert.deepStrictEqual(
      errors,
      ['5: an edge leads to "c", which is no node', '6: an edge begins at "d", which is no node'].map(
        (text) => errors.find((error) => error.endsWith(text.slice(3))) ?? text
      )
    )
    const { errors: lonely } = readText(withEdges("  - { from: a, to: END }"))
    assert.isTrue(lonely.some((error) => error.includes('"b" cannot be reached')))
    const { errors: open } = readText(withEdges("  - { from: a, to: b, when: { verify_result: true } }"))
    assert.isTrue(open.some((error) => error.includes("only edges with conditions")))
  })

  it("tells of conditions that can never be met", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["{ parsed.size: 3 }", 'no parsed field "size"'],
      ["{ node_visits.c: { gte: 1 } }", 'no node "c"'],
      ["{ node_results.c.score: 1 }", 'no node "c"'],
      ["{ accumulated.name: Ada }", 'no accumulated value "name"'],
      ["{ verify_reslt: true }", 'nothing at "verify_reslt"'],
      ["{ 'turns[0].outpt': x }", 'no field of a turn "outpt"'],
      ["{ output: { matches: '(' } }", "pattern is broken"],
      ["{ output: { nearly: x } }", 'unknown operator "nearly"'],
      ["{ field: output, verify_with: { type: Closeness } }", "type of a comparison"],
      ["yes", "expected a condition"]
    ]
    for (const [when, words] of cases) {
      const { errors } = readText(withEdges(`  - { from: a, to: b, when: ${when} }\n  - { from: a, to: b }`))
      assert.isTrue(
        errors.some((error) => error.includes(words)),
        `${when}: ${errors.join(" | ")}`
      )
    }
  })

  it("warns of loops without an exit, shadowed edges and edges that are never used", () => {
    const loop = readText(withEdges("  - { from: a, to: b }\n  - { from: b, to: a }")).warnings
    assert.isTrue(loop.some((warning) => warning.includes("loop without an exit")))
    const shadowed = readText(
      withEdges(
        "  - { from: a, to: b, when: { verify_result: true } }\n  - { from: a, to: END, when: { verify_result: true } }\n  - { from: a, to: b }\n  - { from: a, to: END }"
      )
    ).warnings
    assert.isTrue(shadowed.some((warning) => warning.includes("is never followed")))
    assert.isTrue(shadowed.some((warning) => warning.includes("only the first is ever used")))
  })

  it("refuses scores that are none", () => {
    const score = (text: string) => readText(capitalCheck.replace("score: firm", text)).errors
    assert.isTrue(score("score: frm").some((error) => error.includes('no outcome "frm"')))
    assert.isTrue(score("score: passes").some((error) => error.includes("is a count")))
    assert.isTrue(score("score: { firm: 0 }").some((error) => error.includes("a weight > 0")))
  })

  it("may not name a node like the end, or an agent like the scenario itself", () => {
    const { errors } = readText(
      withEdges("  - { from: a, to: END }", "a: { prompt: A, agent_identity: __user__ }, END: { prompt: B }")
    )
    assert.isTrue(errors.some((error) => error.includes("__user__")))
    assert.isTrue(errors.some((error) => error.includes('may not be named "END"')))
  })

  it("tells of comparisons that can never be made", () => {
    const told = (test: string): string =>
      readText(withEdges(`  - { from: a, to: b, when: { output: ${test} } }\n  - { from: a, to: b }`)).errors.join("\n")
    assert.include(told("{ type: SemanticMatch, expected: x }"), "SemanticMatch needs embeddings")
    assert.include(told('{ type: DateMatch, format: "%d.%q.%Y", expected: x }'), "%q is not known")
    assert.include(told("{ type: DateMatch, format: '%Y-%m', expected: x }"), "it has no %d")
    assert.include(told("{ type: DateRange, min: soon }"), '"soon" is no date')
    assert.include(told("{ type: NumericRange, min: 3, max: 1 }"), "min must not be greater than max")
    assert.strictEqual(told("{ type: DateRange, min: '2024-01-01' }"), "")
  })
})
