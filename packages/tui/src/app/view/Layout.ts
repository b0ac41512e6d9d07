/** Where everything goes, as numbers: a pure function of the terminal's size. */

export type PaneName = "grid" | "leaderboard" | "log"
export const paneNames: ReadonlyArray<PaneName> = ["grid", "leaderboard", "log"]

export interface Size {
  /** Columns and rows of the terminal. */
  readonly width: number
  readonly height: number
}

/** A pane's place inside the body; sizes include its title line. */
export interface Pane {
  readonly width: number
  readonly height: number
}

export interface Layout extends Size {
  readonly tooSmall: boolean
  readonly header: number
  readonly footer: number
  readonly body: Pane
  /** `single` shows the focused pane only, `stacked` all one above the other, `wide` the grid beside the two others. */
  readonly arrangement: "single" | "stacked" | "wide"
  /** Null = the pane does not show. */
  readonly panes: Readonly<Record<PaneName, Pane | null>>
  /** What is under the cursor, where there is room to spare for it; it has no cursor of its own. */
  readonly preview: Pane | null
}

export const minimumSize: Size = { width: 40, height: 12 }

export interface LayoutNeeds {
  readonly contestants: number
  readonly focus: PaneName
  readonly zoomed: boolean
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

const only = (focus: PaneName, body: Pane): Layout["panes"] => ({
  grid: null,
  leaderboard: null,
  log: null,
  [focus]: body
})

const stacked = (body: Pane, contestants: number): Layout["panes"] => {
  const { width, height } = body
  const leaderboard = clamp(contestants + 2, 3, Math.floor(height * 0.4))
  const log = height >= 20 ? clamp(Math.floor(height * 0.2), 3, 8) : 0
  return {
    leaderboard: { width, height: leaderboard },
    grid: { width, height: height - leaderboard - log },
    log: log === 0 ? null : { width, height: log }
  }
}

const wide = (body: Pane, contestants: number): Pick<Layout, "panes" | "preview"> => {
  const left = Math.floor((body.width - 1) * (body.width >= 180 ? 0.55 : 0.5))
  const right = body.width - 1 - left
  const leaderboard = clamp(contestants + 3, 5, Math.floor(body.height * 0.6))
  const rest = body.height - leaderboard
  const preview = rest >= 18 ? Math.floor(rest * 0.6) : 0
  return {
    panes: {
      grid: { width: left, height: body.height },
      leaderboard: { width: right, height: leaderboard },
      log: { width: right, height: rest - preview }
    },
    preview: preview === 0 ? null : { width: right, height: preview }
  }
}

const arrange = (
  arrangement: Layout["arrangement"],
  body: Pane,
  needs: LayoutNeeds
): Pick<Layout, "panes" | "preview"> => {
  if (arrangement === "single" || needs.zoomed) return { panes: only(needs.focus, body), preview: null }
  if (arrangement === "stacked") return { panes: stacked(body, needs.contestants), preview: null }
  return wide(body, needs.contestants)
}

export const computeLayout = (size: Size, needs: LayoutNeeds): Layout => {
  const { width, height } = size
  const tooSmall = width < minimumSize.width || height < minimumSize.height
  const header = height < 18 ? 2 : 3
  const body = { width, height: Math.max(0, height - header - 1) }
  const arrangement = width < 60 || height < 18 ? "single" : width < 130 ? "stacked" : "wide"
  return { width, height, tooSmall, header, footer: 1, body, arrangement, ...arrange(arrangement, body, needs) }
}
