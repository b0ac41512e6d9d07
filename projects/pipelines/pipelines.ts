/**
 * Pipelines as plain functions. `context.generate` makes an inner call through the arena; the arena keeps each step,
 * its tokens and its cost in the cell's record. Latency is what a user would wait: calls one after the other add up,
 * parallel calls count once.
 */

interface Answer {
  readonly text: string
  readonly latencyMs: number
}

interface Context {
  readonly generate: (contestant: string, request: string) => Promise<Answer>
}

export const singleCall = async (prompt: string, { generate }: Context) => {
  const answer = await generate("sample_1", prompt)
  return { output: answer.text, latency_ms: answer.latencyMs }
}

/** A second sample criticises the draft; only where the two disagree is a third asked to decide. */
export const draftCritiqueRevise = async (prompt: string, { generate }: Context) => {
  const draft = await generate("sample_1", prompt)
  const critique = await generate(
    "sample_2",
    `${prompt}\n\nA colleague answered "${draft.text}". Answer the question yourself.`
  )
  if (critique.text === draft.text) return { output: draft.text, latency_ms: draft.latencyMs + critique.latencyMs }
  const revision = await generate(
    "sample_3",
    `${prompt}\n\nTwo answers were given: "${draft.text}" and "${critique.text}". Which is right?`
  )
  return { output: revision.text, latency_ms: draft.latencyMs + critique.latencyMs + revision.latencyMs }
}

/** Three samples at once; the answer that at least two give, else the first. */
export const voteOfThree = async (prompt: string, { generate }: Context) => {
  const votes = await Promise.all(["sample_1", "sample_2", "sample_3"].map((sample) => generate(sample, prompt)))
  const texts = votes.map(({ text }) => text)
  const winner = texts.find((text, index) => texts.indexOf(text) !== index) ?? texts[0]
  return { output: winner ?? "", latency_ms: Math.max(...votes.map(({ latencyMs }) => latencyMs)) }
}
