/** The screen people keep open: header, matrix, leaderboard, events. */
import type { OpenRun } from "../run/OpenRun.ts"
import type { AppState, LiveScreen, World } from "../state/AppState.ts"
import { liveLayout } from "../state/UpdateLive.ts"
import { settle } from "../state/UpdateMatrix.ts"
import { beside, type Line, segment } from "../terminal/Line.ts"
import { grid } from "./Grid.ts"
import { header } from "./Header.ts"
import type { Layout, PaneName } from "./Layout.ts"
import { leaderboardPane } from "./Leaderboard.ts"
import { logPane } from "./Log.ts"
import { preview } from "./Preview.ts"

const paneLines = (
  name: PaneName,
  run: OpenRun,
  screen: LiveScreen,
  layout: Layout,
  now: number
): ReadonlyArray<Line> => {
  const pane = layout.panes[name]
  if (pane === null) return []
  const focused = screen.focus === name
  if (name === "leaderboard") return leaderboardPane(run, screen.place, pane, focused)
  if (name === "log") return logPane(run, screen.entry, pane, focused)
  const order = run.rowOrders.get(screen.matrix.filter, screen.matrix.sort, now)
  // The order may have changed since the last key: the window follows the cursor's case.
  return grid(run, order, settle(run, order, screen.matrix, pane), pane, focused)
}

const previewLines = (run: OpenRun, screen: LiveScreen, layout: Layout): ReadonlyArray<Line> =>
  layout.preview === null ? [] : preview(run, screen.matrix, layout.preview)

export const liveBody = (state: AppState, screen: LiveScreen, run: OpenRun, world: World): ReadonlyArray<Line> => {
  const layout = liveLayout(state, screen, run.model.contestants.length)
  const of = (name: PaneName) => paneLines(name, run, screen, layout, world.now)
  const head = header(run, world.now, layout.width, layout.header)
  if (layout.arrangement === "wide" && !screen.zoomed) {
    return [
      ...head,
      ...beside(of("grid"), segment("│", "rule"), [
        ...of("leaderboard"),
        ...previewLines(run, screen, layout),
        ...of("log")
      ])
    ]
  }
  return [...head, ...of("leaderboard"), ...of("grid"), ...of("log")]
}
