/** The result: its leaderboard, and weights to try out. */
import type { OpenRun } from "../run/OpenRun.ts"
import { standings } from "../view/LeaderboardRows.ts"
import { resultDocument, shownLeaderboard, triedWeights } from "../view/ResultDocument.ts"
import { type AppState, pushScreen, type ResultScreen, replaceScreen, type World } from "./AppState.ts"
import { type Step, stepWith, still } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { scrolledIn } from "./Scroll.ts"

const weightStep = 0.05

const changed = (run: OpenRun, screen: ResultScreen, by: number): ResultScreen => {
  const weights = triedWeights(run, screen)
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  const step = (total === 0 ? 1 : total) * weightStep * by
  const next = weights.map(([name, weight], index): readonly [string, number] => [
    name,
    index === screen.metric ? Math.max(0, Math.round((weight + step) * 1e6) / 1e6) : weight
  ])
  // Nothing weighed would rank nobody: the last weight stays.
  return next.every(([, weight]) => weight === 0) ? screen : { ...screen, weights: Object.fromEntries(next) }
}

const enter = (state: AppState, screen: ResultScreen, run: OpenRun): Step => {
  const contestant = standings(run, shownLeaderboard(run, screen)).places[screen.place]?.contestant ?? -1
  return contestant < 0
    ? still(state)
    : still(pushScreen(state, { _tag: "Contestant", run: screen.run, contestant, scroll: 0 }))
}

export const updateResult = (state: AppState, screen: ResultScreen, action: Action, world: World): Step => {
  const run = world.run(screen.run)
  if (run === undefined) return still(state)
  const count = triedWeights(run, screen).length
  switch (action) {
    case "left":
      return still(replaceScreen(state, { ...screen, metric: (screen.metric + count - 1) % Math.max(1, count) }))
    case "right":
      return still(replaceScreen(state, { ...screen, metric: (screen.metric + 1) % Math.max(1, count) }))
    case "increase":
    case "decrease": {
      const next = changed(run, screen, action === "increase" ? 1 : -1)
      return stepWith(replaceScreen(state, next), { _tag: "Rank", run: screen.run, weights: next.weights })
    }
    case "resetWeights":
      return stepWith(replaceScreen(state, { ...screen, weights: null }), {
        _tag: "Rank",
        run: screen.run,
        weights: null
      })
    case "enter":
      return enter(state, screen, run)
    case "export":
      return stepWith(state, { _tag: "Export", run: screen.run })
    case "openReport":
      return stepWith(state, { _tag: "OpenReport", run: screen.run })
    case "nextPane":
    case "previousPane": {
      const places = run.model.contestants.length
      const place = (screen.place + (action === "nextPane" ? 1 : places - 1)) % Math.max(1, places)
      return still(replaceScreen(state, { ...screen, place }))
    }
    default: {
      const document = resultDocument(run, screen, state.size.width)
      return still(replaceScreen(state, { ...screen, scroll: scrolledIn(document, screen.scroll, action, state.size) }))
    }
  }
}
