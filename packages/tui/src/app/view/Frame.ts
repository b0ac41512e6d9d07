/** The whole screen as lines: exactly as many as the terminal has rows, each exactly as wide as it has columns. */
import { type AppState, currentScreen, type World } from "../state/AppState.ts"
import { fitBlock, type Line, line } from "../terminal/Line.ts"
import { footer } from "./Footer.ts"
import { minimumSize, type Size } from "./Layout.ts"
import { liveBody } from "./LiveScreen.ts"

const tooSmall = ({ width, height }: Size): ReadonlyArray<Line> => {
  const texts = [
    "Terminal too small",
    `${width}×${height}, needs ${minimumSize.width}×${minimumSize.height}`,
    "The run goes on."
  ]
  const top = Math.max(0, Math.floor((height - texts.length) / 2))
  return [
    ...Array.from({ length: top }, () => []),
    ...texts.map((text, index) => line(text, index === 0 ? "warning" : "muted"))
  ]
}

export const frame = (state: AppState, world: World): ReadonlyArray<Line> => {
  const { width, height } = state.size
  if (width < minimumSize.width || height < minimumSize.height) return fitBlock(tooSmall(state.size), width, height)
  const screen = currentScreen(state)
  const run = world.run(screen.run)
  const body = run === undefined ? [] : liveBody(state, screen, run, world)
  return [...fitBlock(body, width, height - 1), footer(["global", "live", screen.focus], width)]
}
