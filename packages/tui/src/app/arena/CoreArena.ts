/** The engine and the store of this installation, as the screen needs them. */
import { RunId } from "@agent-arena/core/domain/Ids"
import type { Project, RankingRules } from "@agent-arena/core/domain/Project"
import type { ProjectError } from "@agent-arena/core/domain/ProjectError"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import * as ProjectModule from "@agent-arena/core/project/Project"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import type { ArenaSource, StartChoice } from "../run/ArenaSource.ts"
import { type Refusal, type RunSource, refusal, type StopWish } from "../run/RunSource.ts"
import { factsOf, problems } from "./FactsOfProject.ts"
import { liveSource, refuse } from "./LiveSource.ts"
import { projectChanges } from "./ProjectChanges.ts"
import { type AskToStop, storedSource } from "./StoredSource.ts"
import { makeStores } from "./Stores.ts"

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
  /** Asks the process of a run to end it; absent = runs of other processes can only be looked at. */
  readonly askToStop?: AskToStop
  /** Takes the wish that came with a signal for a run of this process; absent = there never is one. */
  readonly takeWish?: (database: string, runId: string) => StopWish | null
}

const overridesOf = (base: ProjectModule.ProjectOverrides, choice: StartChoice): ProjectModule.ProjectOverrides => ({
  ...base,
  contestants: choice.contestants,
  trials: choice.trials,
  concurrency: choice.concurrency,
  ...(choice.tags.length === 0 ? {} : { tags: choice.tags })
})

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

/** What the parts of the arena share. */
interface Held {
  readonly options: CoreArenaOptions
  /** Loads the project as it stands now. */
  readonly load: Effect.Effect<Project, ProjectError>
  /** The project as it was loaded last. */
  readonly current: Effect.Effect<Project, ProjectError>
  readonly last: () => Project | null
  readonly storeAt: (file: string) => Effect.Effect<ResultStore["Service"], StoreError>
  /** Gives the engine of the app to an effect that lives in the scope of a run. */
  readonly provided: <A, E>(effect: Effect.Effect<A, E, Arena | Scope.Scope>) => Effect.Effect<A, E, Scope.Scope>
}

const hold = (options: CoreArenaOptions): Effect.Effect<Held, never, Arena | Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Arena | Scope.Scope>()
    const storeAt = yield* makeStores
    let last: Project | null = null
    const load = Effect.tap(ProjectModule.load(options.path, options.overrides ?? {}), (project) =>
      Effect.sync(() => {
        last = project
      })
    )
    return {
      options,
      load,
      current: Effect.suspend(() => (last === null ? load : Effect.succeed(last))),
      last: () => last,
      storeAt,
      provided: Effect.provideContext(Context.omit(Scope.Scope)(services))
    }
  })

/** A project without a database has no runs. */
const runsOf = ({ current, storeAt }: Held) =>
  Effect.flatMap(current, (project) =>
    storeAt(project.output.db).pipe(
      Effect.flatMap((opened) => opened.runs({ project: project.name })),
      Effect.catchIf(
        (error) => error._tag === "StoreError" && error.problem === "missing",
        () => Effect.succeed([])
      )
    )
  )

const begin = (held: Held, project: Project, options: StartOptions) =>
  Effect.flatMap(Arena.start(project, options), (handle) => {
    const { db } = project.output
    const takeWish = () => held.options.takeWish?.(db, handle.id) ?? null
    return liveSource(project, handle, Effect.mapError(held.storeAt(db), refuse), takeWish)
  })

const start = (held: Held, choice: StartChoice): Effect.Effect<RunSource, Refusal, Scope.Scope> =>
  ProjectModule.load(held.options.path, overridesOf(held.options.overrides ?? {}, choice)).pipe(
    Effect.flatMap((project) => begin(held, project, {})),
    Effect.mapError(refuse),
    held.provided
  )

/** Going on never means more than the run was meant to do, as far as the project still has it. */
const goOn = (held: Held, id: RunId, options: StartOptions): Effect.Effect<RunSource, Refusal, Scope.Scope> =>
  Effect.gen(function* () {
    const project = yield* held.load
    const header = yield* Effect.flatMap(held.storeAt(project.output.db), (opened) => opened.header(id))
    const meant = header === null ? project : asMeant(project, header.rules)
    return yield* begin(held, meant, { ...options, resume: id })
  }).pipe(Effect.mapError(refuse), held.provided)

/** The system's own words say what happened to which file; the names of our calls do not. */
const unwritten = (error: { readonly message: string }): { readonly message: string } => {
  if (!(error instanceof PlatformError)) return error
  const { reason } = error
  const words = "cause" in reason && reason.cause instanceof Error ? reason.cause.message : error.message
  return { message: `The reports were not written: ${words}` }
}

const exportReports = (held: Held, id: string): Effect.Effect<string, Refusal> =>
  Effect.gen(function* () {
    const { writeReports } = held.options
    if (writeReports === undefined) return yield* Effect.fail(refusal("Reports cannot be written from here."))
    const project = yield* held.current
    const opened = yield* held.storeAt(project.output.db)
    const record = (yield* opened.runs({ project: project.name })).find((run) => run.runId === id)
    if (record === undefined) return yield* Effect.fail(refusal(`There is no run ${id} in the store.`))
    return yield* Effect.mapError(writeReports(project, opened, record), unwritten)
  }).pipe(Effect.mapError(refuse))

/** The arena of one project. The services of the engine are those around this effect. */
export const coreArena = (options: CoreArenaOptions): Effect.Effect<ArenaSource, never, Arena | Scope.Scope> =>
  Effect.gen(function* () {
    const held = yield* hold(options)
    const services = yield* Effect.context<Arena | Scope.Scope>()
    const check = Effect.flatMap(held.load, (project) =>
      Effect.map(Arena.check(project), (readiness) => factsOf(project, readiness))
    )
    const store = Effect.flatMap(held.current, (project) => held.storeAt(project.output.db))
    return {
      project: Effect.mapError(Effect.provideContext(check, services), problems),
      changes: projectChanges(options.path),
      start: (choice) => start(held, choice),
      runs: Effect.mapError(runsOf(held), refuse),
      open: (record) =>
        Effect.flatMap(Effect.mapError(store, refuse), (opened) =>
          storedSource(opened, record, {
            project: held.last(),
            ...(options.askToStop === undefined ? {} : { askToStop: options.askToStop })
          })
        ),
      resume: (record) => goOn(held, record.runId, {}),
      // Other errors of the run are not what was asked for.
      retryCell: (id, cell) => goOn(held, RunId.make(id), { repeat: { errors: false, cells: [cell] } }),
      exportReports: (id) => exportReports(held, id)
    }
  })
