import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { RunRecord } from "../domain/Run.ts"
import { StoreError } from "../domain/StoreError.ts"
import * as LiveFile from "./LiveFile.ts"
import { liveness, type ProcessProbe } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import * as OpenRun from "./OpenRun.ts"
import { recoverDead } from "./RecoverRuns.ts"
import * as ResultReader from "./ResultReader.ts"
import { ResultReuse } from "./ResultReuse.ts"
import type { RunHeader } from "./RunHeader.ts"
import * as RunPulses from "./RunPulse.ts"
import * as RunReader from "./RunReader.ts"
import { toRecord } from "./RunRow.ts"
import { RunShelf } from "./RunShelf.ts"
import * as RunWriters from "./RunWriter.ts"
import * as Spill from "./Spill.ts"
import * as SpillImport from "./SpillImport.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import * as StoreDatabase from "./StoreDatabase.ts"
import { refuse } from "./StoreFailure.ts"

export type { NewResults, ResultCursor } from "./ResultReader.ts"
export type { RunFooter, RunHeader } from "./RunHeader.ts"
export type { RunPulse } from "./RunPulse.ts"
export type { RunQuery } from "./RunReader.ts"
export type { RunWriter } from "./RunWriter.ts"

/** The durable memory of runs, one SQLite file a project. Everything here can be used while another process writes. */
export class ResultStore extends Context.Service<
  ResultStore,
  {
    /** Path of the database file. */
    readonly path: string
    /**
     * Writes the run's row (`running`) and opens its writer. Closing the scope flushes what is pending, and writes how
     * the run ended if nobody did.
     *
     * With `resume` the run must exist and no longer go on; it continues under the plan of `header`. Results that the
     * new plan does not name, or whose hashes have changed, no longer count.
     */
    readonly begin: (
      header: RunHeader,
      options?: { readonly resume?: boolean }
    ) => Effect.Effect<RunWriters.RunWriter, StoreError, Scope.Scope>
    /** Newest first, by when they were begun or imported here. A run whose process is gone is told as interrupted. */
    readonly runs: (query: RunReader.RunQuery) => Effect.Effect<ReadonlyArray<RunRecord>, StoreError>
    /** `latest` = the newest run that is not deleted. Null when there is none. */
    readonly run: (id: RunId | "latest") => Effect.Effect<RunRecord | null, StoreError>
    readonly header: (
      id: RunId
    ) => Effect.Effect<{ readonly rules: RankingRules; readonly description: string } | null, StoreError>
    readonly leaderboard: (id: RunId) => Effect.Effect<Leaderboard | null, StoreError>
    /** All results in plan order (case, contestant, trial), read in pages so that memory does not grow. */
    readonly results: (id: RunId) => Stream.Stream<CallResult, StoreError>
    readonly result: (id: RunId, cell: Cell) => Effect.Effect<CallResult | null, StoreError>
    /**
     * What was written after `after` (null = everything), a page at a time: what is new is all that is read. Replaced
     * results are among it; some may be told twice. For who looks on while another process writes. Null = no such run.
     */
    readonly resultsAfter: (
      id: RunId,
      after: ResultReader.ResultCursor | null
    ) => Effect.Effect<ResultReader.NewResults | null, StoreError>
    /** How a run stands, without counting its results. Null = no such run. */
    readonly pulse: (id: RunId) => Effect.Effect<RunPulses.RunPulse | null, StoreError>
    /**
     * Writes the ending of every run whose process is gone, into the leaderboard log, too, and returns those runs. Opening
     * a store for writing does so first.
     */
    readonly recoverDead: Effect.Effect<ReadonlyArray<RunRecord>, StoreError>
  }
>()("@agent-arena/core/store/ResultStore") {
  /** The file at `path`, created with its folders. Opened at once, so that a run finds out before it spends anything. */
  static readonly layer = (path: string): Layer.Layer<StoreServices, StoreError> =>
    services.pipe(Layer.provide(StoreDatabase.layer(path)))

  /** An existing file; whatever writes fails. Never written to, except that a file of an older version is upgraded. */
  static readonly layerReadOnly = (path: string): Layer.Layer<StoreServices, StoreError> =>
    services.pipe(Layer.provide(StoreDatabase.layerReadOnly(path)))

  /**
   * Takes in what earlier runs could not write, as opening for writing does; for who is about to read only. Does nothing
   * when there is nothing, and says so in the log when it cannot be done now.
   */
  static readonly takeInSideFiles = (path: string): Effect.Effect<void> =>
    Effect.suspend(() =>
      Spill.files(resolve(path)).length === 0
        ? Effect.void
        : Effect.scoped(Layer.build(this.layer(path))).pipe(
            Effect.catch((error) => Effect.logWarning(`side files were not taken in: ${error.message}`)),
            Effect.asVoid
          )
    )

  /** A database that lives as long as the layer. */
  static get layerMemory(): Layer.Layer<StoreServices, StoreError> {
    return services.pipe(Layer.provide(StoreDatabase.layerMemory))
  }
}

/** Everything that works on one database. Most programs need `ResultStore` alone. */
export type StoreServices = ResultStore | ResultReuse | RunShelf

/** Writes the first rows, or says why it must not. */
const openRun = (
  transaction: SqliteTransaction,
  header: RunHeader,
  options: { readonly resume: boolean; readonly path: string; readonly now: number; readonly probe: ProcessProbe }
): OpenRun.OpenRun | StoreError => {
  const { path, now, probe, resume } = options
  const { runId, project } = header.record
  const row = OpenRun.find(transaction, runId)
  if (row === undefined) {
    if (!resume) return OpenRun.start(transaction, header)
    return refuse("resume", path, "not_found", `there is no run ${runId}`, "`arena runs` lists the runs there are")
  }
  if (!resume) return refuse("begin a run", path, "conflict", `there is a run ${runId} already`)
  const existing = toRecord(row)
  if (existing.project !== project) {
    return refuse("resume", path, "conflict", `${runId} is a run of project '${existing.project}', not of '${project}'`)
  }
  if (liveness(existing, now, probe) === "alive") {
    const where = existing.host === null ? "" : ` (process ${existing.host.pid} on ${existing.host.hostname})`
    return refuse("resume", path, "conflict", `${runId} is still running${where}`, "stop it first")
  }
  return OpenRun.adopt(transaction, header, row)
}

const make = (db: StoreDatabase.StoreDatabase["Service"]): ResultStore["Service"] => ({
  path: db.path,
  begin: Effect.fn("ResultStore.begin")(function* (header, options) {
    if (db.readOnly) return yield* refuse("begin a run", db.path, "read_only", "it was opened for reading only")
    const now = yield* Clock.currentTimeMillis
    const probe = yield* LocalProcess.probe
    const settings = { resume: options?.resume === true, path: db.path, now, probe }
    // Row and writer in one step: an interruption in between would leave a run that nobody ends.
    const opened = Effect.uninterruptible(
      Effect.gen(function* () {
        const open = yield* db.sql.transact((transaction) => openRun(transaction, header, settings))
        if (open instanceof StoreError) return yield* open
        return yield* RunWriters.make(db, header.record.runId, open)
      })
    )
    return yield* db.attempt("begin a run")(opened)
  }),
  runs: (query) => RunReader.runs(db, query),
  run: (id) => RunReader.run(db, id),
  header: (id) => RunReader.header(db, id),
  leaderboard: (id) => RunReader.leaderboard(db, id),
  results: (id) => ResultReader.results(db, id),
  result: (id, cell) => ResultReader.result(db, id, cell),
  resultsAfter: (id, after) => ResultReader.resultsAfter(db, id, after),
  pulse: (id) => RunPulses.pulse(db, id),
  recoverDead: recoverDead(db)
})

const layerNoDeps = Layer.effect(
  ResultStore,
  Effect.gen(function* () {
    const db = yield* StoreDatabase.StoreDatabase
    if (!db.readOnly) {
      yield* SpillImport.importAll(db)
      yield* Effect.ignore(recoverDead(db), { log: "Warn" })
      yield* LiveFile.removeStale(db)
    }
    return make(db)
  })
)

const services = Layer.mergeAll(layerNoDeps, ResultReuse.layerNoDeps, RunShelf.layerNoDeps)
