/** Judging one answer with one scorer, as the engine does it. */
import type { CellContext } from "@agent-arena/core/domain/Generation"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { Score } from "@agent-arena/core/domain/Score"
import type { Scorer } from "@agent-arena/core/domain/Scorer"
import type { ScorerError } from "@agent-arena/core/domain/ScorerError"
import type { Params, TestCase } from "@agent-arena/core/domain/TestCase"
import * as Effect from "effect/Effect"

const position = { file: "tests.yaml", line: 1, column: 1 }

/** A case with one scorer; a reference of undefined is no reference. */
export const caseOf = (type: string, reference: unknown, params: Params = {}): TestCase => ({
  id: CaseId.make("case"),
  messages: [{ role: "user", content: "question" }],
  ...(reference === undefined ? {} : { reference }),
  system: null,
  scorers: [{ type, weight: 1, params, position }],
  tags: [],
  weight: 1,
  maxTokens: null,
  temperature: null,
  metadata: {},
  position
})

export const cellOf = (
  generate: CellContext["generate"] = () => Effect.die("no inner call expected")
): CellContext => ({
  contestant: ContestantKey.make("contestant"),
  caseId: CaseId.make("case"),
  trial: 1,
  attempt: 1,
  tags: [],
  metadata: {},
  generate
})

/** The score of an answer, as an Effect whatever the scorer returns. */
export const judge = (
  scorer: Scorer,
  output: string,
  reference: unknown,
  params: Params = {}
): Effect.Effect<Score, ScorerError> => {
  const testCase = caseOf(scorer.name, reference, params)
  const scored = scorer.score({ output, reference, params, testCase, cell: cellOf() })
  return Effect.isEffect(scored) ? scored : Effect.succeed(scored)
}

/** The score of an answer by a scorer that judges synchronously. */
export const judgeNow = (scorer: Scorer, output: string, reference: unknown, params: Params = {}): Score =>
  Effect.runSync(judge(scorer, output, reference, params))

/** What a scorer says about a case beforehand. */
export const problems = (scorer: Scorer, reference: unknown, params: Params = {}): ReadonlyArray<string> =>
  scorer.check(caseOf(scorer.name, reference, params), params)
