import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"
import { textAlternatives } from "./References.ts"
import { choice, flag, quantity } from "./ScorerParams.ts"
import { foldForSearch, quote } from "./TextNormalisation.ts"
import { includesWhole } from "./WordBoundary.ts"

interface Needle {
  readonly written: string
  readonly folded: string
}

const listed = (needles: ReadonlyArray<Needle>): string =>
  needles
    .slice(0, 5)
    .map((needle) => quote(needle.written))
    .join(", ")

const needlesOf = (texts: ReadonlyArray<string>, caseSensitive: boolean): ReadonlyArray<Needle> => {
  const byForm = new Map<string, Needle>()
  for (const written of texts) {
    const folded = foldForSearch(written, caseSensitive)
    if (!byForm.has(folded)) byForm.set(folded, { written, folded })
  }
  return [...byForm.values()]
}

/** `contains`: the reference occurs in the answer; of a list, all items, any, or none. */
export const contains = define({
  name: "contains",
  description: "The answer contains the reference: all items of a list, any of them, or none.",
  requiresReference: true,
  params: {
    mode: choice(
      ["all", "any", "none"],
      "all",
      "all: the score is the share found; any: one is enough; none: no item may occur."
    ),
    case_sensitive: flag(false, "Whether upper and lower case differ."),
    whole_words: flag(false, "Whether an item must stand alone, not inside a longer word or number."),
    threshold: quantity(1, { minimum: 0, maximum: 1 }, "Share that must be found to pass; for mode all.")
  },
  prepare: ({ options, reference, problem }) => {
    const needles = needlesOf(textAlternatives(reference, problem), options.case_sensitive)
    if (needles.some((needle) => needle.folded === "")) problem("an empty reference is contained in every answer")
    const occurs = (text: string, needle: Needle) =>
      options.whole_words ? includesWhole(text, needle.folded) : text.includes(needle.folded)

    return (output) => {
      const text = foldForSearch(output, options.case_sensitive)
      const found = needles.filter((needle) => occurs(text, needle))
      switch (options.mode) {
        case "any":
          return found.length > 0 ? Score.make(1) : Score.make(0, { reason: `none found of ${listed(needles)}` })
        case "none":
          return found.length === 0 ? Score.make(1) : Score.make(0, { reason: `must not contain ${listed(found)}` })
        case "all": {
          const missing = needles.filter((needle) => !found.includes(needle))
          const score = found.length / needles.length
          return Score.make(score, {
            passed: score >= options.threshold - 1e-9,
            reason: missing.length === 0 ? "" : `missing ${listed(missing)}`,
            ...(missing.length === 0 ? {} : { detail: { missing: missing.map((needle) => needle.written) } })
          })
        }
      }
    }
  }
})
