/** The state machine of the screen: every key and every happening in, the next state and its wishes out. Pure. */
import { type AppState, currentScreen, type LiveScreen, type Screen, type World } from "./AppState.ts"
import type { Intent, Step } from "./Intent.ts"
import { updateLive } from "./UpdateLive.ts"

export const only = (state: AppState): Step<AppState> => ({ state, commands: [] })

export const replaceScreen = (state: AppState, screen: Screen): AppState => {
  const [first, ...rest] = [...state.screens.slice(0, -1), screen]
  return { ...state, screens: [first ?? screen, ...rest] }
}

export const update = (state: AppState, intent: Intent, world: World): Step<AppState> => {
  switch (intent._tag) {
    case "Resize":
      return only({ ...state, size: intent.size })
    case "Say":
      return only({ ...state, toast: { text: intent.text, level: intent.level, until: world.now + 4000 } })
    case "Type":
      return only(state)
    case "Act": {
      if (intent.action === "interrupt" || intent.action === "quit") return { state, commands: [{ _tag: "Leave" }] }
      const screen: LiveScreen = currentScreen(state)
      return updateLive(state, screen, intent.action, world)
    }
  }
}
