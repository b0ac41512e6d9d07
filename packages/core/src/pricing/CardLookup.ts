/** Which cards may speak for a model id. */

const prefixes = [
  "anthropic.",
  "anthropic/",
  "openai/",
  "azure/",
  "vertex_ai/",
  "gemini/",
  "bedrock/",
  "us.",
  "eu."
] as const

/** A name under which a card may stand. `family` = only the part before a `:` that is more than a version number. */
export interface Candidate {
  readonly id: string
  readonly family: boolean
}

/** Names one step broader than this one, nearest first. */
const broader = ({ id, family }: Candidate): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  const prefix = prefixes.find((prefix) => id.startsWith(prefix))
  if (prefix !== undefined) found.push({ id: id.slice(prefix.length), family })
  const colon = id.indexOf(":")
  // "…-v1:0" is a revision of the same model; "qwen2.5:7b" and "model:free" are others that may cost something else
  if (colon > 0) found.push({ id: id.slice(0, colon), family: family || !/^\d+$/.test(id.slice(colon + 1)) })
  const at = id.indexOf("@")
  if (at > 0) found.push({ id: id.slice(0, at), family })
  const version = /^(.+)-v\d+$/.exec(id)?.[1]
  if (version !== undefined) found.push({ id: version, family })
  const undated = /^(.+)-\d{8}$/.exec(id)?.[1]
  if (undated !== undefined) found.push({ id: undated, family })
  return found.filter((candidate) => candidate.id !== "")
}

/**
 * The names to look a model up under, most specific first: the id, its alias, then the id without a vendor prefix, the
 * part before `:` or `@`, and the id without its version or eight-digit date, each with its alias.
 */
export const candidates = (model: string, alias: (id: string) => string | undefined): ReadonlyArray<Candidate> => {
  const found = new Map<string, Candidate>()
  const queue: Array<Candidate> = [{ id: model, family: false }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (found.has(next.id)) continue
    found.set(next.id, next)
    const other = alias(next.id)
    if (other !== undefined) queue.unshift({ id: other, family: next.family })
    queue.push(...broader(next))
  }
  return [...found.values()]
}
