/** The schema of case files: everything that may be written, aliases included. */
import * as Schema from "effect/Schema"
import * as Fields from "../config/Fields.ts"

const Part = Schema.Struct({
  type: Schema.Literals(["text", "image", "file"]).annotate({ expected: "one of text, image, file" }),
  text: Fields.text("The text, for type: text."),
  path: Fields.filledText("File, relative to the case file."),
  url: Fields.filledText("Address that the provider fetches."),
  media_type: Fields.filledText("Media type, e.g. image/png.")
}).annotate({ identifier: "ContentPart", expected: "a mapping with type" })

const roles = ["system", "user", "assistant"] as const

const Turn = Schema.Struct({
  role: Schema.Literals(roles).annotate({ expected: `one of ${roles.join(", ")}` }),
  content: Schema.Union([Schema.String, Schema.Array(Part)]).annotate({
    expected: "text or a list of parts",
    description: "What is said: a text, or a list of parts with type text, image or file."
  })
}).annotate({ identifier: "Message", expected: "a mapping with role and content" })
export type Turn = typeof Turn.Type

const Input = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Turn)])
const input = (description: string) => Fields.optional(Input, "text or a list of messages", description)

const ScorerEntry = Schema.Struct({
  type: Schema.String.annotate({ expected: "the name of a scorer" }),
  weight: Fields.number("Share in the score of the cell. Default: 1.", { above: 0 }),
  params: Fields.options("Options of this scorer."),
  options: Fields.options("Another name for params.")
}).annotate({ identifier: "CaseScorer", expected: "the name of a scorer or a mapping" })
export type ScorerEntry = typeof ScorerEntry.Type

/** What both a case and the `defaults` of its file may say. */
const shared = {
  eval_type: Fields.filledText("Scorer of the case. Default: scorers.default of the project."),
  evaluator: Fields.filledText("Another name for eval_type."),
  scorer: Fields.filledText("Another name for eval_type."),
  type: Fields.filledText("Another name for eval_type."),
  scorers: Fields.optional(
    Schema.Array(
      Schema.Union([Schema.String, ScorerEntry]).annotate({ expected: "the name of a scorer or a mapping" })
    ),
    "a list of scorers",
    "Several scorers with weights, instead of eval_type."
  ),
  context: Fields.scalar("System prompt of the case. Default: defaults.system of the project."),
  system: Fields.scalar("Another name for context."),
  system_prompt: Fields.scalar("Another name for context."),
  instructions: Fields.scalar("Another name for context."),
  tags: Fields.scalars("Words to filter and group by."),
  weight: Fields.number("Share of the case in accuracy and pass rate. Default: 1.", { min: 0 }),
  params: Fields.options("Options of the scorer."),
  options: Fields.options("Another name for params."),
  max_tokens: Fields.wholeNumber("Longest answer, tokens; 0 = as in defaults of the project.", { min: 0 }),
  temperature: Fields.number("Temperature of this case.", { min: 0 }),
  response_format: Fields.options("Structured output asked for this case, a JSON Schema."),
  metadata: Fields.options("Anything else; shown to targets, hooks and scorers.")
}

export const CaseDefaults = Schema.Struct(shared).annotate({ identifier: "CaseDefaults", expected: "a mapping" })
export type CaseDefaults = typeof CaseDefaults.Type

export const CaseEntry = Schema.Struct({
  id: Fields.scalar("Unique name. Default: the file's name and a number."),
  name: Fields.scalar("Another name for id."),
  input: input("What is asked: a text, or a list of messages with role and content."),
  prompt: input("Another name for input."),
  question: input("Another name for input."),
  messages: input("Another name for input."),
  text: input("Another name for input."),
  reference: Fields.anything("The expected answer; a list means any of them."),
  expected: Fields.anything("Another name for reference."),
  answer: Fields.anything("Another name for reference."),
  target: Fields.anything("Another name for reference."),
  gold: Fields.anything("Another name for reference."),
  ...shared,
  enabled: Fields.flag("false leaves the case out."),
  skip: Fields.flag("true leaves the case out.")
}).annotate({ identifier: "Case", expected: "a mapping" })
export type CaseEntry = typeof CaseEntry.Type

const Cases = Schema.Array(CaseEntry)

/** A whole file: a list of cases, or a mapping with the list and defaults for it. */
export const CaseFile = Schema.Union([
  Cases,
  Schema.Struct({
    $schema: Fields.text("JSON Schema of this file, for editors."),
    defaults: Fields.optional(CaseDefaults, "a mapping", "What cases of this file have when they do not say."),
    tests: Fields.optional(Cases, "a list of cases", "The cases."),
    cases: Fields.optional(Cases, "a list of cases", "Another name for tests."),
    test_cases: Fields.optional(Cases, "a list of cases", "Another name for tests.")
  })
]).annotate({ title: "Agent Arena cases", description: "Test cases of an Agent Arena project." })

/** The mapping form without its cases, which are decoded one by one. */
const List = Schema.Array(Schema.Unknown)
const CaseFileFrame = Schema.Struct({
  $schema: Fields.text(""),
  defaults: Fields.optional(CaseDefaults, "a mapping", ""),
  tests: Fields.optional(List, "a list of cases", ""),
  cases: Fields.optional(List, "a list of cases", ""),
  test_cases: Fields.optional(List, "a list of cases", "")
}).annotate({ expected: "a list of cases, or a mapping with tests" })

const options = { errors: "all", onExcessProperty: "error" } as const

/** Compiled once: strict, and telling everything that is wrong. */
export const decodeEntry = Schema.decodeUnknownResult(CaseEntry, options)
export const decodeFrame = Schema.decodeUnknownResult(CaseFileFrame, options)

/** Names under which a file may hold its list. */
export const listKeys = ["tests", "cases", "test_cases"] as const
/** Every key of a case, for columns of CSV. */
export const entryKeys: ReadonlyArray<string> = Object.keys(CaseEntry.fields)
