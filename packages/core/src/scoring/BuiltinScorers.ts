/** The scorers that every project has. */
import type { Scorer } from "../domain/Scorer.ts"
import { classification } from "./ClassificationScorer.ts"
import { contains } from "./ContainsScorer.ts"
import { exactMatch } from "./ExactMatchScorer.ts"
import { jsonMatch } from "./JsonMatchScorer.ts"
import { manual } from "./ManualScorer.ts"
import { numeric } from "./NumericScorer.ts"
import { regex } from "./RegexScorer.ts"

/** In the order in which they are listed. */
export const builtinScorers: ReadonlyArray<Scorer> = [
  exactMatch,
  contains,
  regex,
  classification,
  numeric,
  jsonMatch,
  manual
]
