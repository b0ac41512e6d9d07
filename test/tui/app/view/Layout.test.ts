import { makeRunModel } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { gridLayout } from "@agent-arena/tui/src/app/view/GridLayout.ts"
import { computeLayout, paneNames } from "@agent-arena/tui/src/app/view/Layout.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeRules } from "../simulation/Rules.ts"

const size = fc.record({ width: fc.integer({ min: 40, max: 300 }), height: fc.integer({ min: 12, max: 100 }) })

describe("the layout", () => {
  it("fills the terminal without overlap", () => {
    fc.assert(
      fc.property(
        size,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(...paneNames),
        fc.boolean(),
        (area, contestants, focus, zoomed) => {
          const layout = computeLayout(area, { contestants, focus, zoomed })
          const panes = [...paneNames.map((name) => layout.panes[name]), layout.preview].filter((pane) => pane !== null)
          expect(layout.header + layout.footer + layout.body.height).toBe(area.height)
          const [first] = panes
          const filled = panes.reduce((sum, pane) => sum + pane.width * pane.height, 0)
          const seam = panes.length > 1 && layout.arrangement === "wide" ? layout.body.height : 0
          expect(filled + seam).toBe(area.width * layout.body.height)
          expect(first).toBeDefined()
          expect(layout.panes[focus] !== null || layout.arrangement === "stacked").toBe(true)
          for (const pane of panes) expect(pane.height).toBeGreaterThanOrEqual(3)
        }
      )
    )
  })

  it("fits any matrix into any pane", () => {
    fc.assert(
      fc.property(
        size,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 60 }),
        (pane, contestants, trials) => {
          const model = makeRunModel({
            id: "r",
            project: "p",
            startedAt: 0,
            rules: makeRules({ contestants, cases: 3, trials })
          })
          const columns = model.contestants.map((_, index) => index)
          const grid = gridLayout(model, columns, pane)
          expect(grid.shown).toBeGreaterThanOrEqual(1)
          expect(1 + grid.label + grid.shown * (grid.cell + 1)).toBeLessThanOrEqual(pane.width)
          if (grid.form === "trials") expect(grid.cell).toBeGreaterThanOrEqual(trials)
        }
      )
    )
  })
})
