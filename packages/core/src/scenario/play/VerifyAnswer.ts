import * as Effect from "effect/Effect"
import type { CellContext } from "../../domain/Generation.ts"
import type { ScorerError } from "../../domain/ScorerError.ts"
import { type CellScore, combine, scoreCellSync } from "../../scoring/CellScore.ts"
import type { BoundVerifier, CompiledNode } from "./Compiled.ts"

type Scored = CellScore | Effect.Effect<CellScore, ScorerError>

/** The case with the question as it was asked; the same object when nothing was filled in. */
const asked = ({ testCase }: BoundVerifier, node: CompiledNode, question: string) =>
  node.prompt.paths.length === 0
    ? testCase
    : { ...testCase, messages: [{ role: "user" as const, content: question }] as const }

const scoreOne = (
  verifier: BoundVerifier,
  node: CompiledNode,
  question: string,
  output: string,
  cell: CellContext
): Scored => {
  const { expected } = verifier.verifier
  const own = expected === undefined ? cell : { ...cell, reference: expected }
  // What scorers of a project need of the program was provided where they were bound.
  return scoreCellSync(verifier.bound, { output, testCase: asked(verifier, node, question), cell: own }) as Scored
}

const joined = (scores: ReadonlyArray<CellScore>): CellScore => combine(scores.flatMap((score) => score.scores))

/**
 * What the scorers of a node say of an answer; null when it has none. Synchronous when all of them are.
 */
export const verifyAnswer = (
  node: CompiledNode,
  question: string,
  output: string,
  cell: CellContext
): Scored | null => {
  const { verifiers } = node
  const [first] = verifiers
  if (first === undefined) return null
  if (verifiers.length === 1) return scoreOne(first, node, question, output, cell)
  const scored = verifiers.map((verifier) => scoreOne(verifier, node, question, output, cell))
  const ready = scored.flatMap((one) => (Effect.isEffect(one) ? [] : [one]))
  if (ready.length === scored.length) return joined(ready)
  const all = scored.map((one) => (Effect.isEffect(one) ? one : Effect.succeed(one)))
  return Effect.map(Effect.all(all, { concurrency: "unbounded" }), joined)
}
