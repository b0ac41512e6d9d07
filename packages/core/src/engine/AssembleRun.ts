import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Connector, ConnectorConfig } from "../connector/Connector.ts"
import type { CallResult } from "../domain/CallResult.ts"
import type { Contestant } from "../domain/Contestant.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import { ContestantKey, type RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import * as Message from "../domain/Message.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { RunEnding, StopRequest } from "../domain/Run.ts"
import { scrubber } from "../domain/Secrets.ts"
import { withoutUrlSecrets } from "../domain/SecretText.ts"
import type { RunSettings } from "../domain/Settings.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { callCost } from "../pricing/PriceBook.ts"
import * as Measurements from "../ranking/Measurements.ts"
import { rank } from "../ranking/Rank.ts"
import { judgeName } from "../scoring/Judge.ts"
import type { RunFooter } from "../store/ResultStore.ts"
import { elsewhere } from "./Budget.ts"
import { callSettings } from "./Call.ts"
import type { PreparedCase } from "./Cell.ts"
import { obtain } from "./ConnectorAccess.ts"
import { type ContestantRuntime, costOfCall } from "./ContestantRuntime.ts"
import * as EarlierResults from "./EarlierResults.ts"
import type { LimitSettings } from "./limits/AccountState.ts"
import * as RateLimits from "./limits/RateLimits.ts"
import * as Pacing from "./Pacing.ts"
import * as Plans from "./Plan.ts"
import type { Prepared, ReadyContestant } from "./Preflight.ts"
import * as RunEvents from "./RunEvents.ts"
import type { RunParts } from "./RunParts.ts"

/** Seconds of the config as ms; 0 = off. */
const limitMs = (seconds: number): number | null => (seconds > 0 ? seconds * 1_000 : null)

/** Ranking rules of a prepared project: what ran under which provider and card, and what was skipped. */
export const rankingRules = (prepared: Prepared<unknown>): RankingRules => ({
  ...prepared.project.rules,
  contestants: prepared.readiness.contestants.map(({ card, key, label, model, provider, skipped }) => ({
    key,
    label,
    model,
    provider,
    card,
    skipped
  }))
})

/** Everything that calls one provider account shares one pace; a target is an account of its own. */
const paceName = (config: ConnectorConfig<unknown>, key: string): string => {
  if (config.profile !== null) return config.profile.id
  if (config.source._tag !== "Model" || config.kind === "mock") return key
  const { apiBase, apiKeyEnv } = config.source
  const address = apiBase === null ? null : withoutUrlSecrets(apiBase)
  return [config.kind, address, apiKeyEnv].filter((part) => part !== null).join(" ")
}

/** Limits of an account; null = none at all: targets and simulated models are only limited when a profile says so. */
const limitSettings = (config: ConnectorConfig<unknown>, run: RunSettings): LimitSettings | null => {
  const configured = config.profile?.rateLimit
  const limited = configured !== undefined && Object.values(configured).some((limit) => limit !== null)
  if (run.replay !== null) return null
  if (!limited && (config.source._tag !== "Model" || config.kind === "mock")) return null
  return configured ?? { rpm: null, tpm: null, concurrency: null, burst: null }
}

const retrySettings = (run: RunSettings, config: ConnectorConfig<unknown>) => ({
  retries: config.profile?.retry.attempts ?? run.retries,
  backoffMs: (config.profile?.retry.backoffS ?? run.retryBackoffS) * 1_000,
  maxRetryAfterMs: run.maxRetryAfterS * 1_000,
  // A recording has nobody to be spared.
  ...(run.replay === null ? {} : { backoffMs: 0, retryAfterJitterMs: 0 })
})

/** Makes runtimes, sharing paces by account. */
const runtimeMaker = (prepared: Prepared<unknown>, clock: Clock.Clock) => {
  const paces = new Map<string, Pacing.Pace>()
  const { run } = prepared.project
  const paceOf = (config: ConnectorConfig<unknown>, key: string): Pacing.Pace => {
    const name = paceName(config, key)
    const known = paces.get(name)
    if (known !== undefined) return known
    const settings = limitSettings(config, run)
    const made = Pacing.make(name, settings === null ? null : RateLimits.make(settings, clock))
    paces.set(name, made)
    return made
  }
  return (
    contestant: Contestant<unknown>,
    config: ConnectorConfig<unknown>,
    connector: Connector["Service"]
  ): ContestantRuntime => {
    const card = prepared.prices.card(contestant.model, contestant.card)
    return {
      contestant,
      provider: connector.provider,
      params: config.params,
      card,
      seesReference: config.kind === "mock" || contestant.exposeReference,
      settings: callSettings({
        connector,
        priceOf: (usage) => callCost(card, usage),
        pace: paceOf(config, contestant.key),
        retry: retrySettings(run, config),
        requestTimeoutMs: limitMs(config.profile?.timeoutS ?? run.requestTimeoutS)
      })
    }
  }
}

const bareModel = (model: string, params: ConnectorConfig["params"]): Contestant => ({
  key: ContestantKey.make(model),
  label: model,
  model,
  source: { _tag: "Model", model, provider: null, apiKeyEnv: null, apiBase: null },
  params,
  card: null,
  enabled: false,
  exposeReference: false,
  blocking: false,
  position: { file: "(inner call)", line: null, column: null }
})

/** Finds whom an inner call means: a contestant by key, else the first with that model id, else a model of its own. */
const runtimeFinder = (
  prepared: Prepared<unknown>,
  runtimes: ReadonlyArray<ContestantRuntime>,
  make: ReturnType<typeof runtimeMaker>,
  scope: Scope.Scope,
  built: (connector: Connector["Service"]) => void
) => {
  const known = new Map<string, ContestantRuntime>(runtimes.map((runtime) => [runtime.contestant.key, runtime]))
  for (const runtime of runtimes) {
    const { model } = runtime.contestant
    if (!known.has(model)) known.set(model, runtime)
  }
  const { judge } = prepared
  if (judge !== null)
    known.set(judgeName, make(bareModel(judge.config.model, judge.config.params), judge.config, judge.connector))
  const build = Effect.fnUntraced(function* (name: string) {
    const declared = prepared.project.contestants.find(({ key, model }) => key === name || model === name)
    const config = prepared.configOf(declared?.key ?? name)
    if (Result.isFailure(config)) return yield* config.failure
    const connector = yield* Scope.provide(obtain(prepared.access, declared?.key ?? name, config.success), scope)
    built(connector)
    const runtime = make(declared ?? bareModel(name, {}), config.success, connector)
    known.set(name, runtime)
    return runtime
  })
  return (name: string): Effect.Effect<ContestantRuntime, GenerationError> => {
    const runtime = known.get(name)
    if (runtime !== undefined) return Effect.succeed(runtime)
    return Effect.mapError(build(name), (error) =>
      GenerationErrors.make({ reason: "not_found", detail: `inner call to "${name}": ${error.message}` })
    )
  }
}

/** Prepares cases on first use and keeps them: cases are in memory anyway. */
const caseMaker = (prepared: Prepared<unknown>) => {
  const { cases, defaults } = prepared.project
  const made: Array<PreparedCase | undefined> = []
  return (index: number): PreparedCase => {
    const known = made[index]
    if (known !== undefined) return known
    const testCase = cases[index]
    if (testCase === undefined) throw new RangeError(`no case ${index}`)
    const fresh: PreparedCase = {
      testCase,
      request: {
        messages: testCase.messages,
        prompt: Message.toPrompt(testCase.messages),
        system: testCase.system ?? defaults.system,
        maxTokens: testCase.maxTokens ?? defaults.maxTokens,
        temperature: testCase.temperature ?? defaults.temperature
      },
      params: testCase.responseFormat === undefined ? null : { response_format: testCase.responseFormat },
      score: prepared.scorers.scoreCase(testCase),
      play: prepared.scorers.playCase(testCase)
    }
    made[index] = fresh
    return fresh
  }
}

/** How long cells in flight may go on after a stop, ms. */
export const drainMs =
  (run: RunSettings) =>
  (reason: StopRequest): number =>
    (reason === "deadline" ? Math.min(run.termDrainS, run.drainS) : run.drainS) * 1_000

/** The secrets of a run's connectors; those of inner calls join when their connectors are built. */
const makeSecrets = (initial: Connector["Service"]["secrets"]) => {
  let known = initial
  let scrub = scrubber(known)
  return {
    any: () => known.length > 0,
    scrub: (text: string) => scrub(text),
    add: (connector: Connector["Service"]): void => {
      if (connector.secrets.length === 0) return
      known = [...known, ...connector.secrets]
      scrub = scrubber(known)
    }
  }
}

const secretsOf = ({ connector }: { readonly connector: Connector["Service"] }) => connector.secrets

/** Where results go. Both effects may fail only with what the run must report. */
export interface ResultSink {
  /** `usd` is what the result has cost now; null = unknown. */
  readonly write: (result: CallResult, usd: number | null) => Effect.Effect<void, StoreError>
  readonly finish: (footer: RunFooter) => Effect.Effect<void, StoreError>
  /** The run ends soon: nobody is waited for much longer. */
  readonly hurry: () => void
}

/** Contestants that preflight left out. */
export const skippedKeys = ({ readiness }: Prepared<unknown>): ReadonlyArray<string> =>
  readiness.contestants.flatMap(({ key, skipped }) => (skipped === null ? [] : [key]))

/** What a run takes over from before. */
export interface Before {
  readonly earlier: EarlierResults.EarlierResults
  /** USD by contestant key. */
  readonly spent: ReadonlyMap<string, number>
}

export const nothingBefore: Before = { earlier: EarlierResults.none, spent: new Map() }

/** What was spent, USD by contestant index; what contestants have spent that do not run now is under `elsewhere`. */
const spentByIndex = (
  spent: Before["spent"],
  ready: ReadonlyArray<ReadyContestant<unknown>>
): ReadonlyMap<number, number> => {
  const places = new Map<string, number>(ready.map(({ contestant }, index) => [contestant.key, index]))
  const byIndex = new Map<number, number>()
  for (const [key, usd] of spent) {
    const place = places.get(key) ?? elsewhere
    byIndex.set(place, (byIndex.get(place) ?? 0) + usd)
  }
  return byIndex
}

/** Puts the parts of a run together from a prepared project. */
export const assembleRun = Effect.fnUntraced(function* (
  runId: RunId,
  prepared: Prepared<unknown>,
  sink: ResultSink,
  before: Before = nothingBefore
) {
  const { project, readiness, ready } = prepared
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const make = runtimeMaker(prepared, clock)
  const runtimes = ready.map(({ config, connector, contestant }: ReadyContestant<unknown>) =>
    make(contestant, config, connector)
  )
  const secrets = makeSecrets([...ready, ...(prepared.judge === null ? [] : [prepared.judge])].flatMap(secretsOf))
  const rules = rankingRules(prepared)
  const measurements = Measurements.make(rules)
  const skippedReasons = readiness.contestants.flatMap(({ key, skipped }) => (skipped === null ? [] : [[key, skipped]]))
  const parts: RunParts = {
    runId,
    plan: Plans.make(project, new Set(skippedKeys(prepared))),
    skipped: Object.fromEntries(skippedReasons),
    runtimes,
    prepare: caseMaker(prepared),
    services: {
      clock,
      hooks: prepared.hooks,
      seed: project.run.seed,
      cellTimeoutMs: limitMs(project.run.cellTimeoutS),
      costOf: costOfCall(callCost),
      scrub: secrets.scrub,
      knowsSecrets: secrets.any,
      runtimeByName: runtimeFinder(prepared, runtimes, make, scope, secrets.add)
    },
    budgets: project.budgets,
    failFast: project.run.failFast,
    maxWallMs: limitMs(project.run.maxWallS),
    drainMs: drainMs(project.run),
    hub: RunEvents.make(runId),
    measurements,
    write: sink.write,
    hurry: sink.hurry,
    earlier: before.earlier,
    spentBefore: spentByIndex(before.spent, ready),
    rank: (ending: RunEnding, notes: ReadonlyArray<string>): Leaderboard =>
      rank(rules, measurements, { complete: ending.status === "completed", extraNotes: notes }),
    finish: sink.finish
  }
  return { parts, rules }
})
