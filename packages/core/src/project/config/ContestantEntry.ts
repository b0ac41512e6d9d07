import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"

const price = (description: string) => Fields.number(description, { min: 0 })

/** Prices of a whole call whose prompt is longer than `above_tokens`. */
const TierEntry = Schema.Struct({
  above_tokens: Schema.Int.annotate({ expected: "a whole number" }),
  input_usd_per_mtok: price("USD per million prompt tokens."),
  output_usd_per_mtok: price("USD per million completion tokens."),
  cache_read_usd_per_mtok: price("USD per million prompt tokens read from the cache."),
  cache_write_usd_per_mtok: price("USD per million prompt tokens written to the cache.")
}).annotate({ expected: "a mapping" })

/** Price and capability facts of one model, as written. Prices in USD per million tokens. */
export const CardEntry = Schema.Struct({
  provider: Fields.text("Vendor that the facts are about."),
  display_name: Fields.text("Name for people."),
  input_usd_per_mtok: price("USD per million prompt tokens."),
  input: price("Short for input_usd_per_mtok."),
  output_usd_per_mtok: price("USD per million completion tokens."),
  output: price("Short for output_usd_per_mtok."),
  cache_read_usd_per_mtok: price("USD per million prompt tokens read from the provider's cache."),
  cache_write_usd_per_mtok: Fields.number("USD per million prompt tokens written to the provider's cache.", { min: 0 }),
  reasoning_usd_per_mtok: price("USD per million reasoning tokens, where it differs from the output price."),
  batch_input_usd_per_mtok: price("USD per million prompt tokens of the batch interface."),
  batch_output_usd_per_mtok: price("USD per million completion tokens of the batch interface."),
  prompt_tiers: Fields.optional(Schema.Array(TierEntry), "a list of price tiers", "Prices of long prompts."),
  context_tokens: Fields.wholeNumber("Size of the context window, tokens.", { min: 0 }),
  context_window: Fields.wholeNumber("Short for context_tokens.", { min: 0 }),
  context: Fields.wholeNumber("Short for context_tokens.", { min: 0 }),
  max_output_tokens: Fields.wholeNumber("Longest answer, tokens.", { min: 0 }),
  max_output: Fields.wholeNumber("Short for max_output_tokens.", { min: 0 }),
  features: Fields.texts("What the model can do, e.g. function_calling, structured_outputs, vision."),
  privacy: Fields.optional(
    Schema.Record(Schema.String, Schema.Boolean.annotate({ expected: "true or false" })),
    "a mapping of true or false",
    "Privacy facts, e.g. zero_data_retention: true."
  ),
  notes: Fields.text("Anything worth knowing."),
  note: Fields.text("Short for notes."),
  source: Fields.text("Where the facts come from, best a link."),
  as_of: Fields.text("Date on which the facts were true, YYYY-MM-DD.")
}).annotate({ identifier: "Card", expected: "a mapping" })
export type CardEntry = typeof CardEntry.Type

/** One entry of `models:` or `targets:` in its long form. */
export const ContestantFields = Schema.Struct({
  key: Fields.filledText("Unique name on the leaderboard. Default: the model id."),
  id: Fields.filledText("Model id, or the key when model is given, too."),
  model: Fields.filledText("Model id as the provider knows it, e.g. gpt-5-mini, or mock:NAME."),
  name: Fields.filledText("Another name for model."),
  label: Fields.text("Display name. Default: the key."),
  provider: Fields.filledText("Id of an entry of providers, or a kind such as anthropic, openai, ollama, mock."),
  params: Fields.options("Request parameters passed to the provider, the mock or the target."),
  api_key_env: Fields.filledText("Name of the environment variable that holds the API key."),
  api_base: Fields.filledText("Endpoint; wins over the one of the provider."),
  base_url: Fields.filledText("Another name for api_base."),
  card: Fields.optional(CardEntry, "a mapping", "Price and capability facts of this contestant only."),
  enabled: Fields.flag("false keeps the entry in the file but out of the run. Default: true."),
  run: Fields.filledText("Function that answers: file.ts:function or package:function."),
  target: Fields.filledText("Another name for run."),
  callable: Fields.filledText("Another name for run."),
  command: Fields.optional(
    Schema.Union([Schema.String, Schema.Array(Schema.String.annotate({ expected: "text" }))]),
    "a list of texts (program and arguments), or one text",
    "Program that answers, started without a shell: [program, argument, …]. {prompt} in an argument is replaced by the " +
      "prompt, else the prompt is on stdin. One text is split at white space; quotes group words."
  ),
  env: Fields.textMap("Environment variables added for the command."),
  url: Fields.filledText("HTTP endpoint that answers a POST of JSON."),
  headers: Fields.textMap("HTTP headers sent to the url."),
  body: Fields.anything("JSON body sent to the url; {{prompt}} in its texts is replaced."),
  response_path: Fields.filledText("Dotted path to the answer in the reply, e.g. choices.0.text."),
  expose_reference: Fields.flag("Lets a target see the expected answer. Default: false."),
  blocking: Fields.flag("The function may block the event loop: run it in a worker thread. Default: false.")
}).annotate({ identifier: "Contestant", expected: "a model id or a mapping" })
export type ContestantFields = typeof ContestantFields.Type

/** An entry of `models:` or `targets:`: a model id, or the long form. */
export const ContestantEntry = Schema.Union([Schema.String, ContestantFields]).annotate({
  expected: "a model id or a mapping"
})
export type ContestantEntry = typeof ContestantEntry.Type
