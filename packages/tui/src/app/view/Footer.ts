/** The last line: the keys that matter here and now, as many as fit, derived from the keymap. */
import { type AppState, contexts, type World } from "../state/AppState.ts"
import { hintOf, isAvailable } from "../state/Available.ts"
import { type Binding, bindingsIn } from "../state/Keymap.ts"
import { fitLine, type Line, lineWidth, type Segment, segment } from "../terminal/Line.ts"
import { keyText } from "./Help.ts"

const gap = 3

/** Bindings with a hint that make sense now, in the order of their priority. */
export const hinted = (state: AppState, world: World): ReadonlyArray<Binding> =>
  bindingsIn(contexts(state))
    .filter((binding) => binding.hint !== null && isAvailable(binding.action, state, world))
    .toSorted((a, b) => (a.hint?.[1] ?? 0) - (b.hint?.[1] ?? 0))

export const footer = (state: AppState, world: World): Line => {
  const { width } = state.size
  const out: Array<Segment> = [segment(" ")]
  let used = 1
  for (const binding of hinted(state, world)) {
    const hint: Line = [
      segment(keyText(binding.keys[0] ?? ""), "key"),
      segment(` ${hintOf(binding, state, world)}`, "muted")
    ]
    const needed = lineWidth(hint) + (used === 1 ? 0 : gap)
    if (used + needed > width) break
    if (used > 1) out.push(segment(" ".repeat(gap)))
    out.push(...hint)
    used += needed
  }
  return fitLine(out, width)
}
