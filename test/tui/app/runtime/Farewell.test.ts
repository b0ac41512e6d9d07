import { farewellLines } from "@agent-arena/tui/src/app/runtime/Farewell.ts"
import { lineText, lineWidth } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { describe, expect, it } from "@effect/vitest"
import { running } from "../state/Fixtures.ts"

describe("what stays on the normal screen", () => {
  it("breaks a long reason between words", () => {
    const { run } = running("half")
    const stopReason = "error: results/arena.sqlite: the file was deleted or replaced while the run wrote to it"
    run.model.ending = { status: "aborted", stopReason }
    for (const width of [40, 60, 80]) {
      const lines = farewellLines(run, width)
      const texts = lines.map(lineText)
      expect(texts.join(" ").replaceAll(/ +/g, " ")).toContain(stopReason)
      for (const line of lines.slice(0, 3)) expect(lineWidth(line)).toBeLessThanOrEqual(width)
    }
  })
})
