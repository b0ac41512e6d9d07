/** The last line: the keys that matter here, as many as fit, derived from the keymap. */
import { type Binding, type Context, keymap } from "../state/Keymap.ts"
import { fitLine, type Line, lineWidth, type Segment, segment } from "../terminal/Line.ts"

const names: Readonly<Record<string, string>> = { enter: "↵", "ctrl+c": "^C", "ctrl+p": "^P", esc: "esc", tab: "tab" }

const hintOf = (binding: Binding): ReadonlyArray<Segment> => {
  const key = binding.keys[0] ?? ""
  return [segment(names[key] ?? key, "key"), segment(` ${binding.hint?.[0] ?? ""}`, "muted")]
}

/** Bindings of these contexts that have a hint, in the order of their priority. */
export const hinted = (contexts: ReadonlyArray<Context>): ReadonlyArray<Binding> =>
  keymap
    .filter((binding) => binding.hint !== null && binding.contexts.some((context) => contexts.includes(context)))
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
