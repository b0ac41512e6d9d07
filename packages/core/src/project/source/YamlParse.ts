/** From text to YAML nodes: the `yaml` package with a bound on nesting, its messages in plain words. */
import { Composer, type Document, Lexer, type ParsedNode, Parser, type YAMLError } from "yaml"
import type { SourceText } from "./SourceText.ts"
import { maxDepth, type SyntaxProblem } from "./SourceTree.ts"

/** The nesting limit of values, in parser states (a mapping in a sequence needs a few each). */
const maxStack = maxDepth * 3

const options = {
  version: "1.2",
  schema: "core",
  // Duplicates are found while values are made: the package's own search is quadratic.
  uniqueKeys: false,
  // Numbers beyond 2^53 are kept as text by YamlValue.
  intAsBigInt: false
} as const

type Parsed = Document.Parsed<ParsedNode>

class TooDeep extends Error {
  readonly offset: number
  constructor(offset: number) {
    super("nested too deeply")
    this.offset = offset
  }
}

function* documents(text: string): Generator<Parsed> {
  const parser = new Parser()
  const composer = new Composer<ParsedNode>(options)
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield* composer.next(token)
    if (parser.stack.length > maxStack) throw new TooDeep(parser.offset)
  }
  for (const token of parser.end()) yield* composer.next(token)
  yield* composer.end(true, text.length)
}

const plainWords: Partial<Record<YAMLError["code"], readonly [message: string, suggestion: string | null]>> = {
  BLOCK_AS_IMPLICIT_KEY: ['a second ": " on one line', "put the text in quotes"],
  MULTILINE_IMPLICIT_KEY: ["a key must stand on one line", 'is a ":" or a quotation mark missing?'],
  TAB_AS_INDENT: ["a tab is used for indentation", "YAML is indented with spaces"],
  BAD_INDENT: ["wrong indentation", "items of one list or mapping must start in the same column"],
  BAD_SCALAR_START: ["a text must not start with this character", "put the text in quotes"],
  BAD_DQ_ESCAPE: ["unknown escape sequence in double quotes", "use single quotes, or write \\\\ for a backslash"],
  MULTIPLE_DOCS: ["more than one YAML document in the file", "remove the line ---"],
  KEY_OVER_1024_CHARS: ["a key is longer than 1024 characters", null],
  TAG_RESOLVE_FAILED: ["tags are not supported", "remove the word that starts with !"]
}

/** A brace or bracket that is still open where a line of the block around it begins. */
const unclosed = ({ code, message }: YAMLError): readonly [message: string, suggestion: string] | undefined => {
  const kind = code === "BAD_INDENT" ? /^Flow (map|sequence)/.exec(message)?.[1] : undefined
  if (kind === undefined) return
  const [open, close] = kind === "map" ? ["{", "}"] : ["[", "]"]
  return [`a "${open}" above is not closed`, `add the "${close}", or indent the lines that belong to it`]
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const problem = (source: SourceText, error: YAMLError): SyntaxProblem => {
  const known = unclosed(error) ?? plainWords[error.code]
  const what = known === undefined ? lowerFirst(error.message.replaceAll(/\s+/g, " ")) : known[0]
  return { position: source.position(error.pos[0]), message: `not valid YAML: ${what}`, suggestion: known?.[1] ?? null }
}

/** Cascades of errors follow from the first ones. */
const shownErrors = 3

/** Braces inside of braces are told once: what is missing is missing in one place. */
const problems = (source: SourceText, errors: ReadonlyArray<YAMLError>): Array<SyntaxProblem> => {
  const all = errors.slice(0, shownErrors).map((error) => problem(source, error))
  return all.filter((one, index) => {
    const first = all.findIndex(({ message, position }) => {
      return message === one.message && position.line === one.position.line && position.column === one.position.column
    })
    return first === index
  })
}

/** The only document of a text, or what is wrong with it. An empty text is a document without contents. */
export const parse = (
  source: SourceText
): { readonly document: Parsed } | { readonly problems: Array<SyntaxProblem> } => {
  try {
    const [document, second] = [...documents(source.text)]
    if (document === undefined) return { problems: [] }
    // An unknown tag is only a warning of the package, but its value would not be what was meant.
    const found = [...document.errors, ...document.warnings]
    if (second !== undefined) {
      const at = second.contents?.range[0] ?? second.range[0]
      const [message, suggestion] = plainWords.MULTIPLE_DOCS ?? ["", null]
      return { problems: [{ position: source.position(at), message, suggestion }] }
    }
    return found.length === 0 ? { document } : { problems: problems(source, found) }
  } catch (error) {
    // The package recurses over nodes; a stack that overflows all the same is the same answer.
    if (!(error instanceof TooDeep || error instanceof RangeError)) throw error
    const position = source.position(error instanceof TooDeep ? error.offset : 0)
    return { problems: [{ position, message: `nested more than ${maxDepth} levels deep`, suggestion: null }] }
  }
}
