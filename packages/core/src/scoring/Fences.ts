/** Fenced blocks of Markdown in an answer; linear in its length. */

export interface FencedBlock {
  /** Language tag in lower case; empty when there is none. */
  readonly tag: string
  readonly body: string
  /** Where the body begins in the text. */
  readonly start: number
}

const fenceLine = /^[ \t]*(`{3,})[ \t]*([\w+.#-]*)[ \t]*\r?$/

interface Opening {
  readonly ticks: number
  readonly tag: string
  readonly start: number
}

const blockOf = (text: string, open: Opening, end: number): FencedBlock => ({
  tag: open.tag,
  body: text.slice(open.start, end),
  start: open.start
})

/** All fenced blocks, in order. A block that is never closed ends with the text, as a cut-off answer does. */
export const fencedBlocks = (text: string): ReadonlyArray<FencedBlock> => {
  const blocks: Array<FencedBlock> = []
  if (!text.includes("```")) return blocks
  let open: Opening | null = null
  let lineStart = 0
  while (lineStart < text.length) {
    const newline = text.indexOf("\n", lineStart)
    const lineEnd = newline === -1 ? text.length : newline
    // A longer line is no fence, and is not worth the match.
    const fence = lineEnd - lineStart <= 200 ? fenceLine.exec(text.slice(lineStart, lineEnd)) : null
    if (fence !== null) {
      const ticks = fence[1]?.length ?? 3
      const tag = (fence[2] ?? "").toLowerCase()
      if (open === null) open = { ticks, tag, start: lineEnd + 1 }
      else if (tag === "" && ticks >= open.ticks) {
        blocks.push(blockOf(text, open, Math.max(open.start, lineStart - 1)))
        open = null
      }
    }
    lineStart = lineEnd + 1
  }
  if (open !== null) blocks.push(blockOf(text, open, text.length))
  return blocks
}

/** The body when the whole text is one fenced block, else the text itself. */
export const unfence = (text: string): string => {
  if (!text.includes("```")) return text
  const trimmed = text.trim()
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```")) return text
  const blocks = fencedBlocks(trimmed)
  const only = blocks.length === 1 ? blocks[0] : undefined
  if (only === undefined || only.start !== trimmed.indexOf("\n") + 1) return text
  return only.start + only.body.length >= trimmed.lastIndexOf("\n") ? only.body : text
}

/**
 * Code in an answer: the blocks in one of the languages if there are any, else all blocks, else the whole text; blocks
 * are joined by a blank line.
 */
export const extractCode = (text: string, languages: ReadonlyArray<string>): string => {
  const blocks = fencedBlocks(text)
  const wanted = blocks.filter((block) => languages.includes(block.tag))
  const chosen = wanted.length > 0 ? wanted : blocks
  return chosen.length === 0 ? text.trim() : chosen.map((block) => block.body).join("\n\n")
}
