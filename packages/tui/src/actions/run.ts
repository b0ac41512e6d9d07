import type { Project } from "@agent-arena/core/domain/Project"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as GradeRun from "@agent-arena/core/engine/GradeRun"
import * as ConsoleReport from "@agent-arena/core/report/ConsoleReport"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import type { RunInput } from "../commands/run.ts"
import { CommandError, ExitStatus } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { readStores, writeStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { announce, closeRun, tellParts, tellWaiting, tellWarnings } from "./run/closing.ts"
import { confirmSpend } from "./run/confirm.ts"
import { type Earlier, earlierOf, type Repeat } from "./run/earlier.ts"
import { execute } from "./run/execute.ts"
import { exitCode, nothingMeasured, unmetGates } from "./run/gates.ts"
import { overridesOf } from "./run/overrides.ts"
import { planToJson, renderPlan } from "./run/plan.ts"
import { renderFormat, writeReportFiles } from "./run/reportFiles.ts"
import { type ReportSource, reportSource } from "./run/reportSource.ts"
import { reproduce } from "./run/reproduce.ts"
import { tellPaths } from "./run/scenarioPaths.ts"
import { shownPath } from "./shownPath.ts"
import { storedReport } from "./storedReport.ts"

const usage = (message: string, suggestion: string | null = null) =>
  new CommandError({ kind: "usage", message, suggestion })

const checkFlags = ({ events, failUnder, json }: RunInput): Effect.Effect<void, CommandError> => {
  if (Option.isSome(failUnder) && (failUnder.value < 0 || failUnder.value > 1)) {
    return Effect.fail(usage(`--fail-under ${failUnder.value}: a composite lies between 0 and 1`))
  }
  if (Option.isSome(events) && events.value === "-" && json) {
    return Effect.fail(usage("--events - and --json both want stdout", "write the events to a file"))
  }
  return Effect.void
}

/** Shows the plan instead of running it. */
const dryRun = Effect.fnUntraced(function* (project: Project, earlier: Earlier | null, json: boolean) {
  const plan = { project, readiness: yield* Arena.check(project), earlier }
  const { stdout } = yield* Output
  const layout = { width: stdout.columns, style: stdout.style }
  yield* stdout.write(json ? planToJson(plan) : renderPlan(plan, layout))
})

/** The table or the document on stdout; the table on stderr when events have stdout. */
const printReport = Effect.fnUntraced(function* (input: RunInput, source: ReportSource) {
  const output = yield* Output
  if (input.json) return yield* output.pipe(renderFormat("json", source))
  const channel = Option.isSome(input.events) && input.events.value === "-" ? output.stderr : output.stdout
  const layout = { width: channel.columns, style: channel.style }
  yield* channel.write(ConsoleReport.render(ReportModel.make(source.report), layout))
  yield* tellPaths(source, channel)
})

/** Writes the report files and names them on stderr. */
const keepFiles = Effect.fnUntraced(function* (project: Project, input: RunInput, source: ReportSource) {
  const { stderr } = yield* Output
  const say = (text: string) => (input.quiet ? Effect.void : stderr.write(`${sanitise(text)}\n`))
  yield* say(`\nresults in ${shownPath(source.store.path)}`)
  if (input.noReport) return
  const files = yield* writeReportFiles(project.output.dir, project.output.formats, source)
  yield* Effect.forEach(files, (file) => say(`written ${shownPath(file)}`), { discard: true })
})

const tellLostEvents = Effect.fnUntraced(function* (input: RunInput, { cause, message }: PlatformError) {
  const { stderr } = yield* Output
  const target = Option.getOrElse(input.events, () => "-")
  const why = cause instanceof Error ? cause.message : message
  yield* stderr.write(`${stderr.style.bad("error")} not all events were written to ${sanitise(`${target}: ${why}`)}\n`)
})

const conclude = Effect.fnUntraced(function* (input: RunInput, report: RunReport, failed: boolean) {
  const { stderr } = yield* Output
  const unmet = unmetGates(report, { failUnder: Option.getOrNull(input.failUnder), requireWinner: input.requireWinner })
  if (report.run.status === "completed") {
    for (const gate of unmet) yield* stderr.write(`${stderr.style.bad("gate not met")} ${sanitise(gate)}\n`)
    if (nothingMeasured(report))
      yield* stderr.write(`${stderr.style.bad("error")} nothing was measured: every call failed\n`)
  }
  const own = exitCode(report, unmet)
  const code = own === 0 && failed ? 1 : own
  if (code !== 0) return yield* new ExitStatus({ code })
})

/** Answers that were asked for again keep the grade that a person gave, where they say the same. */
const withGrades = Effect.fnUntraced(function* (project: Project, report: RunReport) {
  if (report.leaderboard.entries.every(({ stats }) => stats.graded >= stats.completed)) return report
  const stores = yield* writeStores(project)
  const board = yield* GradeRun.storedBoard(stores, report.run)
  const restored = yield* GradeRun.restoreGrades(stores, report.run.runId)
  if (restored === 0) return report
  return { ...report, ...(yield* GradeRun.rankGraded(stores, report.run, board.notes)) }
})

const isIdle = ({ remaining: { toAsk }, run }: Earlier): boolean =>
  run.status === "completed" && [...toAsk.values()].every((cases) => cases.length === 0)

/** The report of a run of which nothing is asked again: it begins no part, and keeps its times. */
const leaveAsItIs = Effect.fnUntraced(function* (project: Project, { run }: Earlier, input: RunInput) {
  const { stderr } = yield* Output
  const hint = "--failed asks what did not pass, --cases and --cells what they name"
  if (!input.quiet) yield* stderr.write(`nothing of ${run.runId} is to be asked again (${hint})\n`)
  const { store } = yield* readStores(project)
  const report = yield* storedReport(store, run)
  yield* printReport(input, yield* reportSource(project, report, store))
  yield* conclude(input, report, false)
})

export interface Continuation {
  /** Which outcomes of before are asked again. */
  readonly repeat?: Repeat
  /** Leaves a complete run as it is when nothing of it is to be asked. */
  readonly onlyToAsk?: boolean
}

/** `arena run`, and whatever goes on with a run. */
export const runProject = (
  input: RunInput,
  { onlyToAsk = false, repeat = { errors: !input.keepErrors } }: Continuation = {}
) =>
  Effect.gen(function* () {
    yield* checkFlags(input)
    const loaded = yield* loadProject(input, overridesOf(input))
    const earlier = yield* earlierOf(loaded, input, repeat)
    const project = earlier?.project ?? loaded
    yield* tellWarnings(loaded, input.quiet)
    if (input.dryRun) return yield* dryRun(project, earlier, input.json)
    if (onlyToAsk && earlier !== null && isIdle(earlier)) return yield* leaveAsItIs(project, earlier, input)
    yield* confirmSpend(project, earlier?.remaining ?? null, input)
    if (earlier !== null) yield* announce(earlier, input.quiet)
    const { report: told, written } = yield* execute(project, input, earlier?.options ?? {})
    const report = earlier === null ? told : yield* withGrades(project, told)
    const arena = yield* Arena
    const source = yield* reportSource(project, report, yield* arena.store(project), reproduce(input))
    // The result comes first: a folder that cannot be written must not cost the user the table.
    yield* printReport(input, source)
    if (earlier !== null) yield* tellParts(project, report.run, earlier.remaining.known, input.quiet)
    yield* keepFiles(project, input, source)
    yield* closeRun(project, input, report.run)
    yield* tellWaiting(source.store, input, report)
    const events = yield* Effect.result(written)
    if (Result.isFailure(events)) yield* tellLostEvents(input, events.failure)
    yield* conclude(input, report, Result.isFailure(events))
  }).pipe(Effect.scoped, Effect.provide(engine))
