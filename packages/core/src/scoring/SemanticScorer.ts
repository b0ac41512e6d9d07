import * as Effect from "effect/Effect"
import * as Score from "../domain/Score.ts"
import type { Scorer } from "../domain/Scorer.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import { define } from "./BuiltinScorer.ts"
import { type Embed, type FindEmbedding, malformedReference } from "./Embedding.ts"
import { textAlternatives } from "./References.ts"
import { quantity, text } from "./ScorerParams.ts"
import { cosineSimilarity, lexicalSimilarity, readVector, type Vector, wordsOf } from "./SemanticSimilarity.ts"

const name = "semantic"

const vectorOf = Effect.fnUntraced(function* (embed: Embed, text: string) {
  const vector = readVector(yield* embed(text))
  return typeof vector === "string" ? yield* Effect.fail(vector) : vector
})

/** `semantic`: the answer says much the same as the reference. */
export const semantic = (find: FindEmbedding): Scorer =>
  define({
    name,
    description: "The answer is similar to the reference: by shared words, or by an embedding function.",
    requiresReference: true,
    params: {
      threshold: quantity(0.75, { minimum: 0, maximum: 1 }, "Similarity from which on an answer passes."),
      embedding: text(
        "A function of the project, file.ts:function, from a text to a list of numbers. Without it, words count."
      )
    },
    prepare: ({ options, reference, problem }) => {
      const texts = textAlternatives(reference, problem)
      const { embedding, threshold } = options
      const judged = (similarity: number) =>
        Score.make(similarity, {
          passed: similarity >= threshold - 1e-9,
          metrics: { similarity },
          reason: similarity >= threshold - 1e-9 ? "" : `similarity ${similarity.toFixed(3)} is below ${threshold}`
        })

      if (embedding === null) {
        const words = texts.map(wordsOf)
        if (words.some((set) => set.size === 0)) problem("the reference contains no word to compare")
        return (output) => {
          const own = wordsOf(output)
          return judged(Math.max(...words.map((set) => lexicalSimilarity(own, set))))
        }
      }

      const malformed = malformedReference(embedding)
      if (malformed !== null) problem(`param "embedding": ${malformed}`)
      let known: ReadonlyArray<Vector> | null = null
      const compare = Effect.fnUntraced(function* (output: string) {
        const embed = yield* find(embedding)
        known ??= yield* Effect.forEach(texts, (text) => vectorOf(embed, text))
        const own = yield* vectorOf(embed, output)
        const other = known.find((vector) => vector.length !== own.length)
        if (other !== undefined) {
          return yield* Effect.fail(`the embeddings have different lengths: ${own.length} and ${other.length}`)
        }
        return judged(Math.max(...known.map((vector) => cosineSimilarity(own, vector))))
      })
      return (output) => Effect.mapError(compare(output), (detail) => new ScorerError({ scorer: name, detail }))
    }
  })
