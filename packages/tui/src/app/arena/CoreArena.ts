/** The engine and the store of this installation, as the screen needs them. */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { RunId } from "@agent-arena/core/domain/Ids"
import type { Project, RankingRules } from "@agent-arena/core/domain/Project"
import type { ProjectError } from "@agent-arena/core/domain/ProjectError"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import { estimate } from "@agent-arena/core/engine/Estimate"
import type { Readiness } from "@agent-arena/core/engine/Readiness"
import * as ProjectModule from "@agent-arena/core/project/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ArenaSource, Candidate, ProjectFacts, ProjectProblems, StartChoice } from "../run/ArenaSource.ts"
import { type Refusal, type RunSource, refusal } from "../run/RunSource.ts"
import { liveSource, refuse } from "./LiveSource.ts"
import { projectChanges } from "./ProjectChanges.ts"
import { storedSource } from "./StoredSource.ts"

export interface CoreArenaOptions {
  /** Project folder or its config file. */
  readonly path: string
  readonly overrides?: ProjectModule.ProjectOverrides
  /** Writes the reports of a run and returns where they are. */
  readonly writeReports?: (
    project: Project,
    store: ResultStore["Service"],
    run: RunRecord
  ) => Effect.Effect<string, { readonly message: string }>
}

const candidates = (project: Project, readiness: Readiness): ReadonlyArray<Candidate> => {
  const forecast = new Map(estimate(project, readiness).contestants.map((entry) => [entry.key, entry]))
  return readiness.contestants.map(({ key, label, model, provider, skipped, priced }) => {
    const { calls, usd } = forecast.get(key) ?? { calls: 0, usd: null }
    return {
      key,
      label,
      model,
      provider,
      skipped,
      priced,
      expectedUsd: usd === null || calls === 0 ? null : usd / calls
    }
  })
}

const limit = (seconds: number): number | null => (seconds > 0 ? seconds : null)

const factsOf = (project: Project, readiness: Readiness): ProjectFacts => ({
  name: project.name,
  description: project.description,
  root: project.root,
  candidates: candidates(project, readiness),
  cases: project.cases,
  trials: project.run.trials,
  concurrency: project.run.concurrency,
  limits: {
    requestTimeoutS: limit(project.run.requestTimeoutS),
    idleTimeoutS: limit(project.run.idleTimeoutS),
    cellTimeoutS: limit(project.run.cellTimeoutS),
    maxWallS: limit(project.run.maxWallS)
  },
  budgets: project.budgets,
  constraints: project.constraints,
  warnings: readiness.warnings,
  forecast: estimate(project, readiness).assumptions.slice(0, 2).join("; ")
})

const problems = ({ issues }: ProjectError): ProjectProblems => ({ _tag: "ProjectProblems", issues })

const overridesOf = (base: ProjectModule.ProjectOverrides, choice: StartChoice): ProjectModule.ProjectOverrides => ({
  ...base,
  contestants: choice.contestants,
  trials: choice.trials,
  concurrency: choice.concurrency,
  ...(choice.tags.length === 0 ? {} : { tags: choice.tags })
})

/** The folder that is watched: that of the path, whether it names the folder or the config. */
const folderOf = (path: string): string => {
  const absolute = resolve(path)
  return statSync(absolute, { throwIfNoEntry: false })?.isFile() === true ? dirname(absolute) : absolute
}

/** The project cut down to what a run was about: its contestants, cases and trials. */
const asMeant = (project: Project, rules: RankingRules): Project => {
  const keys = new Set<string>(rules.contestants.map(({ key }) => key))
  const ids = new Set<string>(rules.cases.map(({ id }) => id))
  const contestants = project.contestants.filter(({ key }) => keys.has(key))
  const cases = project.cases.filter(({ id }) => ids.has(id))
  const narrowed = ProjectModule.withCases(
    ProjectModule.withContestants<never, never>({ ...project, contestants }, []),
    cases
  )
  return ProjectModule.withSettings(narrowed, { run: { trials: rules.trials } })
}

/** Reads only: the screen can never fight the writer of a run for the lock. */
const openStore = (path: string): Effect.Effect<ResultStore["Service"], StoreError, Scope.Scope> =>
  Effect.map(Layer.build(ResultStore.layerReadOnly(path)), Context.get(ResultStore))

/** The arena of one project. The services of the engine are those around this effect. */
export const coreArena = (options: CoreArenaOptions): Effect.Effect<ArenaSource, never, Arena | Scope.Scope> =>
  Effect.gen(function* () {
    const { path, overrides = {} } = options
    const services = yield* Effect.context<Arena | Scope.Scope>()
    const inApp = <A, E>(effect: Effect.Effect<A, E, Arena | Scope.Scope>) => Effect.provideContext(effect, services)
    let known: Project | null = null
    const stores = new Map<string, ResultStore["Service"]>()

    const storeAt = (file: string): Effect.Effect<ResultStore["Service"], StoreError> => {
      const open = stores.get(file)
      if (open !== undefined) return Effect.succeed(open)
      return Effect.tap(inApp(openStore(file)), (store) => Effect.sync(() => stores.set(file, store)))
    }
    const load = Effect.tap(ProjectModule.load(path, overrides), (project) =>
      Effect.sync(() => {
        known = project
      })
    )
    const current = Effect.suspend(() => (known === null ? load : Effect.succeed(known)))
    const store = Effect.flatMap(current, (project) => storeAt(project.output.db))

    /** A project without a database has no runs. */
    const runs = Effect.flatMap(current, (project) =>
      storeAt(project.output.db).pipe(
        Effect.flatMap((opened) => opened.runs({ project: project.name })),
        Effect.catchIf(
          (error) => error._tag === "StoreError" && error.problem === "missing",
          () => Effect.succeed([])
        )
      )
    )
    /** With the engine of the app, in the scope of the run. */
    const provided = Effect.provideContext(Context.omit(Scope.Scope)(services))
    const begin = (project: Project, options: StartOptions) =>
      Effect.flatMap(Arena.start(project, options), (handle) =>
        liveSource(project, handle, Effect.mapError(storeAt(project.output.db), refuse))
      )
    const start = (choice: StartChoice): Effect.Effect<RunSource, Refusal, Scope.Scope> =>
      ProjectModule.load(path, overridesOf(overrides, choice)).pipe(
        Effect.flatMap((project) => begin(project, {})),
        Effect.mapError(refuse),
        provided
      )
    /** Going on never means more than the run was meant to do, as far as the project still has it. */
    const goOn = (id: RunId, options: StartOptions): Effect.Effect<RunSource, Refusal, Scope.Scope> =>
      Effect.gen(function* () {
        const project = yield* load
        const header = yield* Effect.flatMap(storeAt(project.output.db), (opened) => opened.header(id))
        const meant = header === null ? project : asMeant(project, header.rules)
        return yield* begin(meant, { ...options, resume: id })
      }).pipe(Effect.mapError(refuse), provided)
    const exportReports = (id: string): Effect.Effect<string, Refusal> =>
      Effect.gen(function* () {
        const { writeReports } = options
        if (writeReports === undefined) return yield* Effect.fail(refusal("Reports cannot be written from here."))
        const project = yield* current
        const opened = yield* store
        const record = (yield* opened.runs({ project: project.name })).find((run) => run.runId === id)
        if (record === undefined) return yield* Effect.fail(refusal(`There is no run ${id} in the store.`))
        return yield* writeReports(project, opened, record)
      }).pipe(
        Effect.mapError((error) =>
          "_tag" in error && error._tag === "Refusal" ? refusal(error.message) : refuse(error)
        )
      )

    return {
      project: inApp(
        Effect.flatMap(load, (project) => Effect.map(Arena.check(project), (readiness) => factsOf(project, readiness)))
      ).pipe(Effect.mapError(problems)),
      changes: projectChanges(folderOf(path)),
      start,
      runs: Effect.mapError(runs, refuse),
      open: (record) => Effect.flatMap(Effect.mapError(store, refuse), (opened) => storedSource(opened, record, known)),
      resume: (record) => goOn(record.runId, {}),
      retryCase: (id, caseId) => goOn(RunId.make(id), { repeat: { cases: new Set([caseId]) } }),
      exportReports
    }
  })
