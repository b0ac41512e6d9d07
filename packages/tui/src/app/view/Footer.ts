/** The last line: the keys that matter here, as many as fit, derived from the keymap. */
import { type Binding, bindingsIn, type Context } from "../state/Keymap.ts"
import { fitLine, type Line, lineWidth, type Segment, segment } from "../terminal/Line.ts"
import { keyText } from "./Help.ts"

const hintOf = (binding: Binding): ReadonlyArray<Segment> => [
  segment(keyText(binding.keys[0] ?? ""), "key"),
  segment(` ${binding.hint?.[0] ?? ""}`, "muted")
]

/** Bindings of these contexts that have a hint, in the order of their priority. */
export const hinted = (contexts: ReadonlyArray<Context>): ReadonlyArray<Binding> =>
  bindingsIn(contexts)
    .filter((binding) => binding.hint !== null)
    .toSorted((a, b) => (a.hint?.[1] ?? 0) - (b.hint?.[1] ?? 0))

export const footer = (contexts: ReadonlyArray<Context>, width: number): Line => {
  const out: Array<Segment> = [segment(" ")]
  let used = 1
  for (const binding of hinted(contexts)) {
    const hint = hintOf(binding)
    const needed = lineWidth(hint) + (used === 1 ? 0 : 3)
    if (used + needed > width) break
    if (used > 1) out.push(segment("   "))
    out.push(...hint)
    used += needed
  }
  return fitLine(out, width)
}
