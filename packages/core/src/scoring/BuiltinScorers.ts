/** The scorers that every project has. */
import type { Scorer } from "../domain/Scorer.ts"
import type { JudgeSettings } from "../domain/Settings.ts"
import { classification } from "./ClassificationScorer.ts"
import { codeExec } from "./CodeExecScorer.ts"
import { contains } from "./ContainsScorer.ts"
import { type FindEmbedding, noEmbeddings } from "./Embedding.ts"
import { exactMatch } from "./ExactMatchScorer.ts"
import { jsonMatch } from "./JsonMatchScorer.ts"
import { llmJudge } from "./LlmJudgeScorer.ts"
import { manual } from "./ManualScorer.ts"
import { numeric } from "./NumericScorer.ts"
import { regex } from "./RegexScorer.ts"
import { semantic } from "./SemanticScorer.ts"

/** What some of them need of a project. */
export interface BuiltinNeeds {
  /** Null = no judge is configured. */
  readonly judge: JudgeSettings | null
  readonly embeddings: FindEmbedding
}

/** The built-in scorers of a project, in the order in which they are listed. */
export const builtinsFor = ({ embeddings, judge }: BuiltinNeeds): ReadonlyArray<Scorer> => [
  exactMatch,
  contains,
  regex,
  classification,
  numeric,
  jsonMatch,
  semantic(embeddings),
  llmJudge(judge),
  codeExec,
  manual
]

/** The built-in scorers without a project: no judge, no embedding functions. */
export const builtinScorers: ReadonlyArray<Scorer> = builtinsFor({ judge: null, embeddings: noEmbeddings })
