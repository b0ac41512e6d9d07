/** `run:`, `defaults:`, `budgets:`, `statistics:`, `watch:`: numbers with defaults. */
import { resolve } from "node:path"
import type { Budgets, RequestDefaults, RunSettings, StatisticsSettings, WatchSettings } from "../../domain/Settings.ts"
import type { Block, ConfigFile } from "./ConfigFile.ts"
import { type ReadContext, valueOf } from "./ReadContext.ts"

const folder = (context: ReadContext, path: string | null | undefined): string | null =>
  path === null || path === undefined ? null : resolve(context.root, path)

/** The folder of the response cache: `true` stands for `cache` in the folder of results. */
const cacheFolder = (context: ReadContext, cache: boolean | string | null | undefined, outputDir: string) =>
  cache === true ? resolve(outputDir, "cache") : typeof cache === "string" ? folder(context, cache) : null

export const readRun = (context: ReadContext, run: Block<"run">, outputDir: string): RunSettings => ({
  trials: run.trials ?? 1,
  concurrency: run.concurrency ?? 4,
  requestTimeoutS: valueOf(context, ["run"], run, ["request_timeout_s", "timeout_s"], 120),
  idleTimeoutS: run.idle_timeout_s ?? 60,
  cellTimeoutS: run.cell_timeout_s ?? 300,
  maxWallS: run.max_wall_s ?? 0,
  drainS: run.drain_s ?? 30,
  termDrainS: run.term_drain_s ?? 5,
  retries: run.retries ?? 2,
  retryBackoffS: run.retry_backoff_s ?? 2,
  maxRetryAfterS: run.max_retry_after_s ?? 60,
  failFast: run.fail_fast ?? false,
  seed: run.seed ?? null,
  cache: cacheFolder(context, run.cache, outputDir),
  record: folder(context, run.record),
  replay: folder(context, run.replay)
})

/** Zero tokens would be no answer at all: it stands for "not said". */
export const tokenLimit = (tokens: number | null | undefined): number | null =>
  tokens === undefined || tokens === 0 ? null : tokens

export const readDefaults = (defaults: Block<"defaults">): RequestDefaults => ({
  system: defaults.system ?? null,
  maxTokens: tokenLimit(defaults.max_tokens),
  temperature: defaults.temperature ?? null,
  // Connectors read the format among the request's params.
  params: {
    ...defaults.params,
    ...(defaults.response_format == null ? {} : { response_format: defaults.response_format })
  }
})

export const readBudgets = (budgets: Block<"budgets">): Budgets => ({
  maxRunUsd: budgets.max_run_usd ?? null,
  maxModelUsd: budgets.max_model_usd ?? null,
  confirmAboveUsd: budgets.confirm_above_usd ?? null,
  onExceed: budgets.on_exceed ?? "stop",
  allowUnpriced: budgets.allow_unpriced ?? false
})

export const readStatistics = (given: ConfigFile["statistics"]): StatisticsSettings => {
  const statistics = typeof given === "boolean" ? { enabled: given } : (given ?? {})
  return {
    enabled: statistics.enabled ?? true,
    resamples: statistics.resamples ?? 2000,
    confidence: statistics.confidence ?? 0.95,
    seed: statistics.seed ?? 0,
    minMargin: statistics.min_margin ?? 0.02
  }
}

export const readWatch = (watch: Block<"watch">): WatchSettings => ({
  driftThreshold: watch.drift_threshold ?? 0.05,
  webhook: watch.webhook ?? null
})
