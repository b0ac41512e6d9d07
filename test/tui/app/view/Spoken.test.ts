import { lineText } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { spokenFrame } from "@agent-arena/tui/src/app/view/Spoken.ts"
import { describe, expect, it } from "@effect/vitest"
import { press, running, startState } from "../state/Fixtures.ts"

describe("the screen read aloud", () => {
  it("says in sentences how far the run is, who leads and what is selected", () => {
    const { state, world } = running("half")
    const texts = spokenFrame(state, world).map(lineText)
    expect(texts[0]).toMatch(/^support_triage, running: 298 of 600 cells, 50%, \$0\.30 spent\.$/)
    expect(texts).toContainEqual(expect.stringMatching(/^Place 1: haiku-fast, score 0\.\d{3}, accuracy /))
    expect(texts).toContainEqual(expect.stringMatching(/^Selected: case billing-0001, haiku-fast: pass, /))
    expect(texts.join("")).not.toMatch(/[─│█▒░✓✗]/)
  })

  it("reads a cell without reading its whole record", () => {
    const { state, world } = running("finished")
    const texts = spokenFrame(press(state, world, "n", "enter").state, world).map(lineText)
    expect(texts).toContain("Output")
    expect(texts.join("\n")).not.toContain("as stored")
    expect(texts.length).toBeLessThan(60)
  })

  it("says what there is to say of the history when there is nothing to list", () => {
    const { state, world } = startState()
    const spoken = (changes: Partial<typeof world>) =>
      spokenFrame({ ...state, screens: [{ _tag: "Runs", row: 0, marked: [] }] }, { ...world, ...changes }).map(
        lineText
      )[0]
    expect(spoken({ history: null })).toBe("Reading the runs.")
    expect(spoken({ history: [] })).toBe("This project has no runs yet.")
    expect(spoken({ history: null, historyProblem: "not a database" })).toBe("The runs cannot be read: not a database")
  })

  it("says what would run", () => {
    const { state, world } = startState()
    expect(spokenFrame(state, world).map(lineText)[0]).toMatch(
      /^support_triage: \d+ cells with 3 contestants, 50 cases, /
    )
  })
})
