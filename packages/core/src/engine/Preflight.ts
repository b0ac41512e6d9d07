import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Connector, ConnectorConfig, ConnectorError } from "../connector/Connector.ts"
import { ConnectorMap } from "../connector/ConnectorMap.ts"
import { ConnectorRegistry } from "../connector/ConnectorRegistry.ts"
import { resolveConnector, resolveModel } from "../connector/ResolveConnector.ts"
import type { Contestant } from "../domain/Contestant.ts"
import type { Project } from "../domain/Project.ts"
import { ProjectError, type ProjectIssue } from "../domain/ProjectError.ts"
import { hasTooShort } from "../domain/Secrets.ts"
import { make as makePriceBook, type PriceBook, ShippedCatalogue } from "../pricing/PriceBook.ts"
import { asksJudge } from "../scenario/ScenarioOfCase.ts"
import { judgeName } from "../scoring/Judge.ts"
import { type ConnectorAccess, obtain } from "./ConnectorAccess.ts"
import { ResponseCache } from "./cache/ResponseCache.ts"
import { withDeadline } from "./Deadline.ts"
import type { Hooks } from "./Hooks.ts"
import { loadHooks } from "./LoadHooks.ts"
import { loadScorers, type Scorers } from "./PreflightScoring.ts"
import type { ContestantReadiness, Readiness } from "./Readiness.ts"

/** A contestant that is ready, with its connector already built. */
export interface ReadyContestant<R> {
  readonly contestant: Contestant<R>
  readonly config: ConnectorConfig<R>
  readonly connector: Connector["Service"]
}

/** A judge that is ready. */
export interface ReadyJudge {
  readonly config: ConnectorConfig
  readonly connector: Connector["Service"]
}

/** A project that was checked, with everything a run needs built in the caller's scope. */
export interface Prepared<R> {
  readonly project: Project<R>
  readonly readiness: Readiness
  readonly ready: ReadonlyArray<ReadyContestant<R>>
  readonly access: ConnectorAccess
  /** Null = no case needs one. */
  readonly judge: ReadyJudge | null
  /** Configuration of a contestant key, or of a model id that is no contestant. */
  readonly configOf: (name: string) => Result.Result<ConnectorConfig<R>, ConnectorError>
  readonly scorers: Scorers
  readonly hooks: Hooks
  readonly prices: PriceBook
  /** What went wrong on the way without preventing the run (a cache that does not work). */
  readonly problems: Array<string>
}

const healthCheckLimitMs = 10_000
const healthChecksAtOnce = 8

const issueAt = (project: Project<unknown>, message: string, suggestion: string | null = null): ProjectIssue => ({
  position: { file: project.configFile, line: null, column: null },
  message,
  suggestion
})

const fail = (issues: ReadonlyArray<ProjectIssue>): Effect.Effect<void, ProjectError> => {
  const [first, ...rest] = issues
  return first === undefined ? Effect.void : Effect.fail(new ProjectError({ issues: [first, ...rest] }))
}

const emptyProject = (project: Project<unknown>): ReadonlyArray<ProjectIssue> => [
  ...(project.cases.length === 0 ? [issueAt(project, "the project has no test cases", "add one to tests.yaml")] : []),
  ...(project.contestants.some(({ enabled }) => enabled)
    ? []
    : [issueAt(project, "no contestant is enabled", "add a model or a target")])
]

interface Checked<R> {
  readonly contestant: Contestant<R>
  readonly provider: string
  readonly outcome: Result.Result<ReadyContestant<R>, string>
}

/** Why a connector cannot be used now; null = it can. */
const healthOf = (connector: Connector["Service"]): Effect.Effect<string | null> =>
  withDeadline(connector.healthCheck, healthCheckLimitMs, () =>
    Effect.fail(`no answer to the health check within ${healthCheckLimitMs / 1000} s`)
  ).pipe(Effect.catch((timeout) => Effect.succeed(timeout)))

const checkContestant = Effect.fnUntraced(function* <R>(
  access: ConnectorAccess,
  contestant: Contestant<R>,
  resolved: Result.Result<ConnectorConfig<R>, ConnectorError>
) {
  if (Result.isFailure(resolved)) {
    return { contestant, provider: "unknown", outcome: Result.fail(resolved.failure.message) } satisfies Checked<R>
  }
  const config = resolved.success
  const provider = config.profile?.id ?? config.kind
  const built = yield* Effect.result(obtain(access, contestant.key, config))
  if (Result.isFailure(built)) {
    return { contestant, provider, outcome: Result.fail(built.failure.message) } satisfies Checked<R>
  }
  const connector = built.success
  const reason = yield* healthOf(connector)
  const outcome =
    reason === null
      ? Result.succeed({ contestant, config, connector } satisfies ReadyContestant<R>)
      : Result.fail(reason)
  return { contestant, provider: connector.provider, outcome } satisfies Checked<R>
})

const usesJudge = (project: Project<unknown>): boolean =>
  project.cases.some((testCase) => testCase.scorers.some(({ type }) => type === "llm_judge") || asksJudge(testCase))

/** The judge of the project, when a case needs one; the problem that makes it unusable, otherwise. */
const checkJudge = Effect.fnUntraced(function* (
  project: Project<unknown>,
  access: ConnectorAccess,
  config: Result.Result<ConnectorConfig, ConnectorError> | null
) {
  if (config === null || !usesJudge(project)) return Result.succeed(null)
  const unusable = (reason: string) => Result.fail(issueAt(project, `the judge cannot run: ${reason}`))
  if (Result.isFailure(config)) return unusable(config.failure.message)
  const built = yield* Effect.result(obtain(access, judgeName, config.success))
  if (Result.isFailure(built)) return unusable(built.failure.message)
  const reason = yield* healthOf(built.success)
  return reason === null
    ? Result.succeed({ config: config.success, connector: built.success } satisfies ReadyJudge)
    : unusable(reason)
})

/** Nobody should be the judge of their own cause; it is allowed, and said. */
export const judgeIsContestant = (project: Project<unknown>): ReadonlyArray<ProjectIssue> => {
  const { model } = project.judge
  const own = project.contestants.find((contestant) => contestant.enabled && contestant.model === model)
  if (model === null || own === undefined || !usesJudge(project)) return []
  return [
    {
      position: own.position,
      message: `"${own.key}" is judged by its own model (judge.model ${model})`,
      suggestion: null
    }
  ]
}

/** A secret that cannot be taken out of answers and errors, should somebody repeat it there. */
const tooShortSecrets = (ready: ReadonlyArray<ReadyContestant<never>> | ReadonlyArray<ReadyContestant<unknown>>) =>
  ready
    .filter(({ connector }) => hasTooShort(connector.secrets))
    .map(
      ({ contestant }): ProjectIssue => ({
        position: contestant.position,
        message: `a secret of "${contestant.key}" has fewer than 8 characters, too few to be replaced where it is repeated`,
        suggestion: "use a longer one"
      })
    )

/** A model without a price can never be priced; a target may report its own cost. */
const isPriced = (contestant: Contestant<unknown>, card: ContestantReadiness["card"]): boolean | null => {
  if (card?.inputUsdPerMtok !== undefined && card.outputUsdPerMtok !== undefined) return true
  return contestant.source._tag === "Model" ? false : null
}

const readinessOf = <R>(checked: Checked<R>, prices: PriceBook): ContestantReadiness => {
  const { contestant, outcome, provider } = checked
  const card = prices.card(contestant.model, contestant.card)
  return {
    key: contestant.key,
    label: contestant.label,
    model: contestant.model,
    provider,
    skipped: Result.isFailure(outcome) ? outcome.failure : null,
    priced: isPriced(contestant, card),
    card
  }
}

const allSkipped = (project: Project<unknown>, contestants: ReadonlyArray<ContestantReadiness>): Array<ProjectIssue> =>
  contestants.map(({ key, skipped }) => {
    const position = project.contestants.find((contestant) => contestant.key === key)?.position
    const message = `no contestant can run; ${key}: ${skipped}`
    const suggestion = 'to try the project offline, add a simulated one: {model: "mock:baseline"}'
    return position === undefined ? issueAt(project, message, suggestion) : { position, message, suggestion }
  })

/** Under a budget every cent must be countable. */
const unpricedUnderBudget = (project: Project<unknown>, contestants: ReadonlyArray<ContestantReadiness>) => {
  const { allowUnpriced, maxModelUsd, maxRunUsd, onExceed } = project.budgets
  if (allowUnpriced || onExceed === "warn" || (maxModelUsd === null && maxRunUsd === null)) return []
  return contestants
    .filter(({ priced, skipped }) => priced === false && skipped === null)
    .map(({ key, model }) =>
      issueAt(
        project,
        `"${key}" has no price, so its spend cannot be held to the budget`,
        `add its price under pricing.models."${model}", or set budgets.allow_unpriced: true`
      )
    )
}

/** Entries of the connector map: every contestant that resolves, disabled ones too (inner calls may name them). */
const connectorEntries = <R>(resolved: ReadonlyMap<Contestant<R>, Result.Result<ConnectorConfig<R>, ConnectorError>>) =>
  new Map(
    [...resolved].flatMap(
      ([{ key }, result]): Array<[string, ConnectorConfig<R>]> =>
        Result.isSuccess(result) ? [[key, result.success]] : []
    )
  )

const resolveJudge = (project: Project<unknown>, model: string, kinds: ReadonlyArray<string>) => {
  const { apiBase, apiKeyEnv, params, provider } = project.judge
  return resolveModel({ model, provider, apiKeyEnv, apiBase, params }, project, { kinds })
}

/** The response cache of the project, in the caller's scope; null = off. */
const openCache = (
  project: Project<unknown>
): Effect.Effect<ResponseCache["Service"] | null, ProjectError, Scope.Scope> => {
  const { cache } = project.run
  if (cache === null) return Effect.succeed(null)
  return Effect.mapError(
    Effect.map(Layer.build(ResponseCache.layer(cache)), Context.get(ResponseCache)),
    (error) => new ProjectError({ issues: [issueAt(project, `run.cache: ${error.message}`)] })
  )
}

/**
 * Finds everything that can be known before anything is spent: data errors of all cases at once, unusable scorers and
 * hooks, contestants that cannot run. Connectors and modules are built in the caller's scope and used by the run.
 */
export const prepare = <R>(project: Project<R>): Effect.Effect<Prepared<R>, ProjectError, R | Scope.Scope> =>
  Effect.gen(function* () {
    yield* fail(emptyProject(project))
    const scorers = yield* loadScorers(project)
    const hooks = yield* Effect.result(loadHooks(project))
    const hookIssues = Result.isFailure(hooks) ? hooks.failure : []
    yield* fail([...scorers.issues, ...project.cases.flatMap(scorers.check), ...hookIssues])

    const kinds = [...(yield* ConnectorRegistry).keys()]
    const resolved = new Map(
      project.contestants.map((contestant) => [contestant, resolveConnector(contestant, project, { kinds })] as const)
    )
    const entries = connectorEntries(resolved)
    const resolve = (model: string) =>
      resolveModel({ model, provider: null, apiKeyEnv: null, apiBase: null, params: {} }, project, { kinds })
    const judgeConfig = project.judge.model === null ? null : resolveJudge(project, project.judge.model, kinds)
    const connectors = yield* ConnectorMap.make<R>(entries, {
      resolve: (name) => (name === judgeName && judgeConfig !== null ? judgeConfig : resolve(name))
    })
    const problems: Array<string> = []
    const access: ConnectorAccess = {
      run: project.run,
      connectors,
      cache: yield* openCache(project),
      cacheFailed: (message) => {
        if (problems.length === 0) problems.push(`the response cache does not work: ${message}`)
      }
    }
    const enabled = project.contestants.filter((contestant) => contestant.enabled)
    const checked = yield* Effect.forEach(
      enabled,
      (contestant) => {
        const result = resolved.get(contestant)
        return result === undefined
          ? Effect.die(new Error(`${contestant.key} was not resolved`))
          : checkContestant(access, contestant, result)
      },
      { concurrency: healthChecksAtOnce }
    )
    const prices = makePriceBook(yield* ShippedCatalogue, project.pricing)
    const contestants = checked.map((one) => readinessOf(one, prices))
    const ready = checked.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
    const judge = yield* checkJudge(project, access, judgeConfig)
    yield* fail(Result.isFailure(judge) ? [judge.failure] : [])
    yield* fail(ready.length === 0 ? allSkipped(project, contestants) : unpricedUnderBudget(project, contestants))

    const readiness: Readiness = {
      contestants,
      cases: project.cases.length,
      trials: project.run.trials,
      planned: ready.length * project.cases.length * project.run.trials,
      warnings: [...project.warnings, ...scorers.warnings, ...judgeIsContestant(project), ...tooShortSecrets(ready)]
    }
    return {
      project,
      readiness,
      ready,
      access,
      judge: Result.isSuccess(judge) ? judge.success : null,
      problems,
      configOf: (name) => {
        const entry = entries.get(name)
        return entry === undefined ? resolve(name) : Result.succeed(entry)
      },
      scorers,
      hooks: Result.isSuccess(hooks) ? hooks.success : { preRequest: null, postProcess: null, onResult: null },
      prices
    }
  })
