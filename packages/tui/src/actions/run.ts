import type { Project } from "@agent-arena/core/domain/Project"
import type { StopRequest } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as ConsoleReport from "@agent-arena/core/report/ConsoleReport"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { RunInput } from "../commands/run.ts"
import { CommandError, ExitStatus } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { Shutdown } from "../process/Shutdown.ts"
import type { SignalName } from "../process/Signals.ts"
import * as Progress from "../progress/Progress.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"
import { announce, closeRun, tellParts } from "./run/closing.ts"
import { confirmSpend } from "./run/confirm.ts"
import { type Earlier, earlierOf, type Repeat } from "./run/earlier.ts"
import { openSink, writeEvents } from "./run/eventSink.ts"
import { exitCode, unmetGates } from "./run/gates.ts"
import { overridesOf } from "./run/overrides.ts"
import { planToJson, renderPlan } from "./run/plan.ts"
import { type ReportSource, renderFormat, writeReportFiles } from "./run/reportFiles.ts"
import { reproduce } from "./run/reproduce.ts"
import { tellPaths } from "./run/scenarioPaths.ts"
import { takeWish } from "./run/stopRequest.ts"

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

const stopReason = (name: SignalName): StopRequest => (name === "SIGINT" ? "interrupted" : "deadline")

/** A signal that `arena stop` has sent brings a wish with it; any other means what it always means. */
const stopAsAsked = (handle: RunHandle, project: Project, name: SignalName): Effect.Effect<void> =>
  Effect.suspend(() => {
    const wish = name === "SIGINT" ? takeWish(project.output.db, handle.id) : null
    if (wish === null) return handle.stop(stopReason(name))
    return wish.now ? handle.stopNow("cancelled") : handle.stop("cancelled")
  })

/** Runs to the end, with signals, progress and events connected. */
const execute = Effect.fnUntraced(function* (project: Project, input: RunInput, options: StartOptions) {
  const { stderr } = yield* Output
  const shutdown = yield* Shutdown
  const sink = Option.isSome(input.events) ? yield* openSink(input.events.value) : null
  const label = Option.isSome(input.label) ? { label: input.label.value } : {}
  const handle: RunHandle = yield* Arena.start(project, { ...options, ...label })
  yield* shutdown.register({
    stop: (name) => stopAsAsked(handle, project, name),
    stopNow: (name) => handle.stopNow(stopReason(name)),
    termDrainMs: project.run.termDrainS * 1000
  })
  const written = sink === null ? Effect.void : yield* writeEvents(handle, sink)
  const mode = input.quiet ? "none" : stderr.isTerminal && process.env["CI"] === undefined ? "bar" : "log"
  const report = yield* Effect.scoped(Effect.andThen(Progress.show(handle, stderr, mode), handle.result))
  yield* written
  return report
})

/** The table or the document on stdout; the table on stderr when events have stdout. */
const printReport = Effect.fnUntraced(function* (project: Project, input: RunInput, source: ReportSource) {
  const output = yield* Output
  if (input.json) return yield* output.pipe(renderFormat("json", source))
  const channel = Option.isSome(input.events) && input.events.value === "-" ? output.stderr : output.stdout
  const layout = { width: channel.columns, style: channel.style }
  yield* channel.write(ConsoleReport.render(ReportModel.make(source.report), layout))
  yield* tellPaths(project, source.store, source.report.run.runId, channel)
})

/** Writes the report files and names them on stderr. */
const keepFiles = Effect.fnUntraced(function* (project: Project, input: RunInput, source: ReportSource) {
  const { stderr } = yield* Output
  const path = yield* Path.Path
  const say = (text: string) => (input.quiet ? Effect.void : stderr.write(`${sanitise(text)}\n`))
  const shown = (file: string) => {
    const relative = path.relative(process.cwd(), file)
    return relative === "" || relative.startsWith("..") ? file : relative
  }
  yield* say(`\nresults in ${shown(source.store.path)}`)
  if (input.noReport) return
  const files = yield* writeReportFiles(project.output.dir, project.output.formats, source)
  yield* Effect.forEach(files, (file) => say(`written ${shown(file)}`), { discard: true })
})

const conclude = Effect.fnUntraced(function* (input: RunInput, report: RunReport) {
  const { stderr } = yield* Output
  const unmet = unmetGates(report, { failUnder: Option.getOrNull(input.failUnder), requireWinner: input.requireWinner })
  if (report.run.status === "completed") {
    for (const gate of unmet) yield* stderr.write(`${stderr.style.bad("gate not met")} ${sanitise(gate)}\n`)
  }
  const code = exitCode(report, unmet)
  if (code !== 0) return yield* new ExitStatus({ code })
})

/** `arena run`, and whatever goes on with a run; `repeat` = which outcomes of before are asked again. */
export const runProject = (input: RunInput, repeat: Repeat = { errors: !input.keepErrors }) =>
  Effect.gen(function* () {
    yield* checkFlags(input)
    const loaded = yield* loadProject(input, overridesOf(input))
    const earlier = yield* earlierOf(loaded, input, repeat)
    const project = earlier?.project ?? loaded
    if (input.dryRun) return yield* dryRun(project, earlier, input.json)
    yield* confirmSpend(project, earlier?.remaining ?? null, input)
    if (earlier !== null) yield* announce(earlier, input.quiet)
    const report = yield* execute(project, input, earlier?.options ?? {})
    const arena = yield* Arena
    const now = yield* Clock.currentTimeMillis
    const source: ReportSource = {
      report,
      store: yield* arena.store(project),
      generatedAt: new Date(now).toISOString(),
      reproduce: reproduce(input)
    }
    // The result comes first: a folder that cannot be written must not cost the user the table.
    yield* printReport(project, input, source)
    if (earlier !== null) yield* tellParts(project, report.run, input.quiet)
    yield* keepFiles(project, input, source)
    yield* closeRun(project, input, report.run)
    yield* conclude(input, report)
  }).pipe(Effect.scoped, Effect.provide(engine))
