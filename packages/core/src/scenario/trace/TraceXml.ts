/** A conversation as well-formed XML elements, with long blocks set aside. */
import type { Block, TraceTurn } from "./Transcript.ts"

/** A block that is kept in a file of its own. */
export interface OffloadedBlock {
  /** `tool_result_001.txt`. */
  readonly file: string
  readonly content: string
}

/** Decides where long blocks go; null = they stay in the document. */
export interface OffloadPlan {
  /** Blocks with more characters than this are set aside. */
  readonly threshold: number
  /** The path that the document names for a file. */
  readonly pathOf: (file: string) => string
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Characters that no XML document may hold, not even escaped. */
const forbidden = /[[\p{Cc}\ufffe\uffff]--[\t\n\r]]/gv

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, "\ufffd")
    .replace(/[&<>"]/g, (character) => escapes[character] ?? character)

const indented = (text: string, spaces: number): ReadonlyArray<string> =>
  text
    .trim()
    .split(/\r\n|\n|\r/)
    .map((line) => `${" ".repeat(spaces)}${escaped(line)}`)

const kinds = { text: "text", tool_use: "tool_call", tool_result: "tool_result" } as const

const contentOf = (block: Block): string =>
  block.type === "tool_use"
    ? Object.entries(block.input)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(", ")
    : block.text

const count = new Intl.NumberFormat("en")

/** Writes turns as XML; remembers what was set aside. */
class TraceWriter {
  readonly offloaded: Array<OffloadedBlock> = []
  readonly #plan: OffloadPlan | null

  constructor(plan: OffloadPlan | null) {
    this.#plan = plan
  }

  block(block: Block): ReadonlyArray<string> {
    const kind = kinds[block.type]
    const name = block.type === "text" ? "" : ` name="${escaped(block.name)}"`
    const content = contentOf(block).trim()
    if (this.#plan === null || content.length <= this.#plan.threshold) {
      return [`    <${kind}${name}>`, ...indented(content, 6), `    </${kind}>`]
    }
    const file = `${kind}_${String(this.offloaded.length + 1).padStart(3, "0")}.txt`
    this.offloaded.push({ file, content })
    return [
      `    <${kind}${name} offloaded="true">`,
      `      [Content offloaded: ${count.format(content.length)} chars]`,
      `      File: ${escaped(this.#plan.pathOf(file))}`,
      `    </${kind}>`
    ]
  }

  turn(turn: TraceTurn, index: number): ReadonlyArray<string> {
    const { agent, blocks, system, user } = turn
    return [
      `<turn number="${index + 1}">`,
      ...(system === null
        ? []
        : [`  <system_prompt agent="${escaped(system.agent)}">`, ...indented(system.text, 4), "  </system_prompt>"]),
      ...(user === null ? [] : ["  <user>", ...indented(user, 4), "  </user>"]),
      ...(blocks.length === 0
        ? []
        : [
            `  <assistant agent="${escaped(agent)}">`,
            ...blocks.flatMap((block) => this.block(block)),
            "  </assistant>"
          ]),
      "</turn>",
      ""
    ]
  }
}

/** The elements of all turns, each followed by an empty line, and the blocks that were set aside. */
export const traceXml = (
  turns: ReadonlyArray<TraceTurn>,
  plan: OffloadPlan | null
): { readonly xml: string; readonly offloaded: ReadonlyArray<OffloadedBlock> } => {
  const writer = new TraceWriter(plan)
  const xml = turns.flatMap((turn, index) => writer.turn(turn, index)).join("\n")
  return { xml, offloaded: writer.offloaded }
}
