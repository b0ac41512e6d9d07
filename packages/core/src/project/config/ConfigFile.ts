/** The schema of `config.yaml`: everything that may be written, aliases included; what it means is decided elsewhere. */
import * as Schema from "effect/Schema"
import { CardEntry, ContestantEntry } from "./ContestantEntry.ts"
import * as Fields from "./Fields.ts"
import { MetricsBlock } from "./MetricEntries.ts"
import { ProviderEntry } from "./ProviderEntry.ts"

const block = <S extends Schema.Top>(schema: S, description: string) =>
  Fields.optional(schema, "a mapping", description)

export const RunBlock = Schema.Struct({
  trials: Fields.wholeNumber("Repeats of every case by every contestant. Default: 1.", { min: 1 }),
  concurrency: Fields.wholeNumber("Cells in flight at the same time. Default: 4.", { min: 1 }),
  request_timeout_s: Fields.number("Limit of one attempt, seconds; 0 = the client's own. Default: 120.", { min: 0 }),
  timeout_s: Fields.number("Older name of request_timeout_s.", { min: 0 }),
  idle_timeout_s: Fields.number("Longest silence of a streamed answer, seconds; 0 = off. Default: 60.", { min: 0 }),
  cell_timeout_s: Fields.number("Limit of everything a cell does, seconds; 0 = off. Default: 300.", { min: 0 }),
  max_wall_s: Fields.number("Limit of the whole run, seconds; 0 = off. Default: 0.", { min: 0 }),
  drain_s: Fields.number("How long cells in flight may finish after a stop, seconds. Default: 30.", { min: 0 }),
  term_drain_s: Fields.number("The same after SIGTERM, seconds. Default: 5.", { min: 0 }),
  retries: Fields.wholeNumber("Further attempts after a failed one. Default: 2.", { min: 0 }),
  retry_backoff_s: Fields.number("Base of the pause between attempts, seconds. Default: 2.", { min: 0 }),
  max_retry_after_s: Fields.number("Longest Retry-After that is waited for, seconds. Default: 60.", { min: 0 }),
  fail_fast: Fields.flag("Stop at the first error. Default: false."),
  seed: Fields.wholeNumber("Seed of everything random; passed to providers that accept one."),
  cache: Fields.optional(
    Schema.Union([Schema.Boolean, Schema.String]),
    "true, false, or the path of a folder",
    "Response cache: true, or the path of its folder. Default: false."
  ),
  record: Fields.filledText("Folder into which every exchange is recorded."),
  replay: Fields.filledText("Folder from which recorded exchanges are replayed.")
})

export const DefaultsBlock = Schema.Struct({
  system: Fields.text("System prompt of cases that have none."),
  max_tokens: Fields.wholeNumber("Longest answer of cases that do not say, tokens; 0 = the provider's default.", {
    min: 0
  }),
  temperature: Fields.number("Temperature of cases that do not say.", { min: 0 }),
  params: Fields.options("Request parameters under those of provider and contestant."),
  response_format: Fields.options("Structured output asked of every contestant, a JSON Schema.")
})

export const BudgetsBlock = Schema.Struct({
  max_run_usd: Fields.number("Stops the run, USD.", { min: 0 }),
  max_model_usd: Fields.number("Stops one contestant, USD.", { min: 0 }),
  confirm_above_usd: Fields.number("Asks before a run that is estimated to cost more, USD.", { min: 0 }),
  on_exceed: Fields.oneOf(["stop", "warn"], "What happens when a budget is exceeded. Default: stop."),
  allow_unpriced: Fields.flag("Let contestants without a known price run under a budget. Default: false.")
})

export const ConstraintsBlock = Schema.Struct({
  min_accuracy: Fields.number("Floor for accuracy, 0..1.", { min: 0, max: 1 }),
  max_error_rate: Fields.number("Ceiling for the share of failed cells, 0..1.", { min: 0, max: 1 }),
  max_cost_per_1k_calls_usd: Fields.number("Ceiling for the cost of 1,000 calls, USD.", { min: 0 }),
  max_latency_p95_ms: Fields.number("Ceiling for the 95th percentile of latency, ms.", { min: 0 }),
  privacy: block(
    Schema.Struct({
      required: Fields.texts("Privacy facts that must be true."),
      requirements: Fields.texts("Another name for required.")
    }),
    "Privacy."
  ),
  privacy_required: Fields.texts("Another name for privacy.required."),
  deployment: block(
    Schema.Struct({
      required_features: Fields.texts("Features that a model must have."),
      features: Fields.texts("Another name for required_features."),
      min_context_tokens: Fields.wholeNumber("Smallest context window, tokens; 0 = any.", { min: 0 }),
      min_context: Fields.wholeNumber("Another name for min_context_tokens.", { min: 0 }),
      allow_unknown_card: Fields.flag("Another place for allow_unknown_card.")
    }),
    "What the model must be able to do."
  ),
  required_features: Fields.texts("Another name for deployment.required_features."),
  min_context_tokens: Fields.wholeNumber("Another name for deployment.min_context_tokens.", { min: 0 }),
  allow_unknown_card: Fields.flag("Whether a model without a card passes these constraints. Default: true."),
  allow_unknown: Fields.flag("Whether a constraint on an unknown value passes, with a warning. Default: true.")
})

export const StatisticsBlock = Schema.Struct({
  enabled: Fields.flag("Default: true."),
  resamples: Fields.wholeNumber("Bootstrap resamples. Default: 2000.", { min: 100 }),
  confidence: Fields.number("Confidence of intervals. Default: 0.95.", { above: 0.5, below: 1 }),
  seed: Fields.wholeNumber("Seed of the bootstrap. Default: 0."),
  min_margin: Fields.number("Smallest lead in the composite that may be called a win. Default: 0.02.", {
    min: 0,
    max: 1
  })
})

export const TestsBlock = Schema.Struct({
  paths: Fields.texts("Case files, folders or globs. Default: test* files and everything under tests/."),
  ids: Fields.scalars("Only these cases."),
  tags: Fields.scalars("Only cases with any of these tags."),
  tags_any: Fields.scalars("Another name for tags."),
  all_tags: Fields.scalars("Only cases with all of these tags."),
  tags_all: Fields.scalars("Another name for all_tags."),
  exclude_tags: Fields.scalars("No cases with any of these tags."),
  limit: Fields.wholeNumber("Only the first N cases that are left; 0 = all.", { min: 0 })
})

export const JudgeBlock = Schema.Struct({
  model: Fields.filledText("Model id of the judge."),
  provider: Fields.filledText("Id of an entry of providers, or a kind."),
  api_key_env: Fields.filledText("Name of the environment variable that holds the API key."),
  api_base: Fields.filledText("Endpoint."),
  base_url: Fields.filledText("Another name for api_base."),
  system: Fields.text("System prompt of the judge."),
  prompt: Fields.text("Prompt template; another place for scorers.options.llm_judge.prompt."),
  max_tokens: Fields.wholeNumber("Longest verdict, tokens. Default: 512.", { min: 1 }),
  temperature: Fields.number("Temperature of the judge.", { min: 0 }),
  params: Fields.options("Request parameters of the judge.")
})

export const HooksBlock = Schema.Struct({
  pre_request: Fields.text("Changes a request before it is sent: file.ts:function."),
  post_process: Fields.text("Changes an answer before it is scored: file.ts:function."),
  on_result: Fields.text("Sees every finished record: file.ts:function.")
})

const Cards = Schema.Record(Schema.String, CardEntry)

export const PricingBlock = Schema.Struct({
  path: Fields.filledText("File with price cards by model id."),
  models: Fields.optional(Cards, "a mapping of model ids to cards", "Price cards by model id."),
  aliases: Fields.textMap("Other names of models: alias → model id.")
})

/** A price file. Cards stand under `models`, or at the top beside these keys. */
export const PriceFile = Schema.StructWithRest(
  Schema.Struct({
    as_of: Fields.text("Date of all facts that have none of their own, YYYY-MM-DD."),
    currency: Fields.oneOf(["USD"], "Currency of all prices."),
    note: Fields.text("Anything worth knowing."),
    notes: Fields.text("Anything worth knowing."),
    aliases: Fields.textMap("Other names of models: alias → model id."),
    models: Fields.optional(Cards, "a mapping of model ids to cards", "Price cards by model id.")
  }),
  [Schema.Record(Schema.String.check(Schema.isPattern(/^(?!(?:as_of|currency|notes?|aliases|models)$)/)), CardEntry)]
)

export const outputFormats = ["markdown", "md", "json", "csv", "html", "junit"] as const
const Format = Schema.Literals(outputFormats).annotate({ expected: `one of ${outputFormats.join(", ")}` })

export type PriceFile = typeof PriceFile.Type

export const ConfigFile = Schema.Struct({
  $schema: Fields.text("JSON Schema of this file, for editors."),
  project: Fields.filledText("Name of the project in the database. Default: the folder's name."),
  name: Fields.filledText("Another name for project."),
  description: Fields.text("What the project decides."),
  archived: Fields.flag("Hides the project from listings."),
  models: Fields.optional(
    Schema.Union([Schema.String, Schema.Array(ContestantEntry)]),
    "a list of models",
    "Models that take part."
  ),
  targets: Fields.optional(
    Schema.Union([Schema.String, Schema.Array(ContestantEntry)]),
    "a list of targets",
    "Functions, commands and endpoints that take part; the same form as models."
  ),
  providers: Fields.optional(Schema.Array(ProviderEntry), "a list of providers", "Named accounts and servers."),
  defaults: block(DefaultsBlock, "What a request uses when its case and contestant say nothing."),
  run: block(RunBlock, "How the run is executed."),
  budgets: block(BudgetsBlock, "Spending limits."),
  metrics: block(MetricsBlock, "What is ranked, and how."),
  constraints: block(ConstraintsBlock, "What disqualifies a contestant, however good its composite."),
  statistics: Fields.optional(
    Schema.Union([Schema.Boolean, StatisticsBlock]),
    "true, false or a mapping",
    "Intervals and comparisons; true or false switches them."
  ),
  watch: block(
    Schema.Struct({
      drift_threshold: Fields.number("Smallest change that counts as drift. Default: 0.05.", { above: 0, below: 1 }),
      webhook: Fields.filledText("URL that is told of drift.")
    }),
    "Repeated runs."
  ),
  tests: Fields.optional(
    Schema.Union([Schema.String, Schema.Array(Schema.String.annotate({ expected: "text" })), TestsBlock]),
    "a list of paths or a mapping",
    "Where the cases are, and which of them take part."
  ),
  scorers: block(
    Schema.Struct({
      default: Fields.filledText("Scorer of cases that name none. Default: exact_match."),
      paths: Fields.texts("Files and folders of the project's own scorers. Default: scorers/."),
      options: Fields.optional(
        Schema.Record(Schema.String, Schema.NullOr(Fields.Options).annotate({ expected: "a mapping" })),
        "a mapping of scorers to their options",
        "Options by scorer, under those of the case."
      )
    }),
    "How answers are judged."
  ),
  judge: block(JudgeBlock, "The model that judges for the scorer llm_judge."),
  hooks: block(HooksBlock, "Functions called around every cell."),
  pricing: Fields.optional(
    Schema.Union([Schema.String, PricingBlock]),
    "the path of a price file or a mapping",
    "Prices of models: a path, or a mapping."
  ),
  output: block(
    Schema.Struct({
      dir: Fields.filledText("Folder of reports and of the database. Default: results."),
      db: Fields.filledText("Database file. Default: arena.sqlite in dir."),
      formats: Fields.optional(
        Schema.Union([Format, Schema.Array(Format)]),
        `a list of ${outputFormats.join(", ")}`,
        "Reports written after a run. Default: markdown, json."
      ),
      workspaces: Fields.optional(
        Schema.Union([Schema.Boolean, Schema.String]),
        "true, false or a path",
        "Whether every turn of a scenario gets a folder, and where. true: workspaces in dir. Default: only turns that need one."
      ),
      keep_workspaces: Fields.flag("Whether the folders of turns are kept when a scenario has ended. Default: true.")
    }),
    "Where results go."
  )
}).annotate({
  title: "Agent Arena project",
  description: "config.yaml of an Agent Arena project.",
  expected: "a mapping"
})
export type ConfigFile = typeof ConfigFile.Type
export type Block<K extends keyof ConfigFile> = Exclude<
  NonNullable<ConfigFile[K]>,
  string | boolean | ReadonlyArray<unknown>
>

/** Compiled once: strict, and telling everything that is wrong. */
export const decode = Schema.decodeUnknownResult(ConfigFile, { errors: "all", onExcessProperty: "error" })
export const decodePriceFile = Schema.decodeUnknownResult(PriceFile, { errors: "all", onExcessProperty: "error" })
