import { userInfo } from "node:os"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import * as GradeRun from "@agent-arena/core/engine/GradeRun"
import * as ConsoleReport from "@agent-arena/core/report/ConsoleReport"
import { plural } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as Clock from "effect/Clock"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { namedRun } from "../commands/flags.ts"
import type { GradeInput } from "../commands/grade.ts"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { type GradeRow, readGrades, settled } from "./grade/gradeFile.ts"
import { cellKey, type Gradable, gradable, shuffled } from "./grade/items.ts"
import { gradeAll, keys, readReply } from "./grade/session.ts"
import { sheet } from "./grade/sheet.ts"
import { type Given, writeGrades } from "./grade/writing.ts"
import { commandOn } from "./nextStep.ts"
import { findRun, type ProjectStores, writeStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { writeAtomically, writeReportFiles } from "./run/reportFiles.ts"
import { reportSource } from "./run/reportSource.ts"
import { shownPath } from "./shownPath.ts"
import { storedReport } from "./storedReport.ts"
import { tell } from "./theRun.ts"

interface Grading {
  readonly input: GradeInput
  readonly project: Project
  readonly stores: ProjectStores
  readonly run: RunRecord
  readonly found: Gradable
  /** The leaderboard before anything is graded. */
  readonly board: GradeRun.StoredBoard
}

const usage = (message: string, suggestion: string) => new CommandError({ kind: "usage", message, suggestion })

const grader = ({ by }: GradeInput): string => Option.getOrElse(by, () => userInfo().username)

/** Writes what is to be graded. */
const exportSheet = Effect.fnUntraced(function* ({ found, input, project, run, stores }: Grading, file: string) {
  const seed = Option.isSome(input.seed) ? input.seed.value : yield* Random.nextInt
  const items = input.open ? found.items : shuffled(found.items, seed)
  const rows = yield* sheet(project, stores.store, run, items, { file, open: input.open })
  yield* writeAtomically(file, rows)
  const text = `written ${shownPath(file)}: ${plural(items.length, "answer")} to grade; fill in score and reason, then ${commandOn("grade", run.runId, input)} --set ${shownPath(file)}`
  yield* tell(input.json, text, { action: "exported", run_id: run.runId, file, answers: items.length })
})

/** The cells that a row of a file means; null after saying what is wrong with it. */
const cellsOf = ({ byCell, byId }: Gradable, { answer }: GradeRow) => {
  if ("id" in answer) return byId.get(answer.id) ?? null
  const cell = byCell.get(cellKey(answer.contestant, answer.caseId, answer.trial))
  return cell === undefined ? null : [cell]
}

const takeFile = Effect.fnUntraced(function* ({ found, input, run, stores }: Grading, file: string) {
  const { log, rows } = yield* readGrades(file)
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const by = grader(input)
  const seen = new Map<string, number | null>()
  const given = rows.flatMap((row): ReadonlyArray<Given> => {
    const cells = cellsOf(found, row)
    if (cells === null) {
      const what =
        "id" in row.answer
          ? `the id ${row.answer.id}`
          : `${row.answer.contestant} / ${row.answer.caseId} / trial ${row.answer.trial}`
      log.error(row.position, `${run.runId} has no answer for a person to grade under ${what}`)
      return []
    }
    for (const cell of cells) {
      const key = cellKey(cell.contestant, cell.caseId, cell.trial)
      const line = seen.get(key)
      if (line !== undefined) log.error(row.position, `a second grade for the answer of line ${line ?? "before"}`)
      seen.set(key, row.position.line)
    }
    return [{ cells, grade: { score: row.score, reason: row.reason, by, at } }]
  })
  yield* settled(log)
  return (yield* writeGrades(stores, run, given)).length
})

/** Asks at the terminal until the line can be understood. */
const askAtTerminal = Prompt.run(
  Prompt.String({
    message: `grade (${keys})`,
    validate: (line) => (readReply(line) === null ? Effect.fail(`not understood: ${keys}`) : Effect.succeed(line))
  })
).pipe(
  Effect.map(readReply),
  Effect.catchTag("QuitError", () => Effect.succeed(null))
)

const gradeAtTerminal = Effect.fnUntraced(function* ({ board, found, input, project, run, stores }: Grading) {
  const { stdout } = yield* Output
  if (input.json || !stdout.isTerminal || process.stdin.isTTY !== true) {
    return yield* usage(
      "grades are asked for at a terminal, and this is none",
      "--export FILE and --set FILE grade in a file"
    )
  }
  const seed = Option.isSome(input.seed) ? input.seed.value : yield* Random.nextInt
  const items = input.open ? found.items : shuffled(found.items, seed)
  const terminal = yield* Effect.context<Effect.Services<typeof askAtTerminal>>()
  const ask = Effect.provideContext(askAtTerminal, terminal)
  const session = { project, stores, run, items, by: grader(input), open: input.open, screen: stdout, ask }
  // What was graded stands, and so does its ranking, however the session ends.
  return yield* Effect.onError(gradeAll(session), () => Effect.ignore(GradeRun.rankGraded(stores, run, board.notes)))
})

/** Ranks the run anew, rewrites its report files and tells how it stands. */
const conclude = Effect.fnUntraced(function* (grading: Grading, graded: number) {
  const { board, input, project, stores } = grading
  const { stderr, stdout } = yield* Output
  const isNew = graded > 0 || !board.isCurrent
  const { run } = isNew ? yield* GradeRun.rankGraded(stores, grading.run, board.notes) : grading
  const report = yield* storedReport(stores.store, run)
  const waiting = yield* GradeRun.countWaiting(stores.store, run.runId)
  if (input.json) {
    const { verdict } = report.leaderboard
    const counts = { graded, waiting }
    yield* stdout.write(
      `${stringify({ schema_version: 1, run_id: run.runId, ...counts, verdict: verdict._tag, winner: run.winner }, 2)}\n`
    )
  } else {
    yield* stdout.write(ConsoleReport.render(ReportModel.make(report), { width: stdout.columns, style: stdout.style }))
    yield* stderr.write(`\n${plural(graded, "answer")} graded, ${waiting} waiting\n`)
  }
  if (!isNew || input.noReport) return
  const source = yield* reportSource(project, report, stores.store)
  const files = yield* writeReportFiles(project.output.dir, project.output.formats, source)
  for (const file of files) yield* stderr.write(`${sanitise(`written ${shownPath(file)}`)}\n`)
})

const onlyOne = usage(
  "--export writes what is to be graded, --set takes grades; they cannot be combined",
  "choose one of them"
)

/** `arena grade`. */
export const gradeRun = (words: GradeInput) =>
  Effect.gen(function* () {
    const input = namedRun(words)
    if (Option.isSome(input.export) && Option.isSome(input.set)) return yield* onlyOne
    const project = yield* loadProject(input)
    const stores = yield* writeStores(project)
    const run = yield* findRun(
      stores,
      project,
      Option.getOrElse(input.run, () => "latest")
    )
    if (run.status === "running") {
      const message = `${run.runId} is still running`
      return yield* new CommandError({ kind: "conflict", message, suggestion: "grade it when it has ended" })
    }
    const board = yield* GradeRun.storedBoard(stores, run)
    const restored = Option.isSome(input.export) ? 0 : yield* GradeRun.restoreGrades(stores, run.runId)
    const grading: Grading = {
      input,
      project,
      stores,
      run,
      board,
      found: yield* gradable(stores.store, run, input.regrade)
    }
    if (grading.found.byCell.size === 0) {
      const message = `${run.runId} has no answers for a person to grade`
      return yield* new CommandError({ kind: "not_found", message, suggestion: "cases ask for it with scorer: manual" })
    }
    if (Option.isSome(input.export)) return yield* exportSheet(grading, input.export.value)
    if (Option.isSome(input.set))
      return yield* conclude(grading, (yield* takeFile(grading, input.set.value)) + restored)
    if (grading.found.items.length > 0) return yield* conclude(grading, (yield* gradeAtTerminal(grading)) + restored)
    if (restored > 0 || !board.isCurrent) return yield* conclude(grading, restored)
    const nothing = { run_id: run.runId, graded: 0, waiting: 0 }
    yield* tell(input.json, `${run.runId}: every answer has its grade; --regrade asks again`, nothing)
  }).pipe(Effect.scoped, Effect.provide(engine))
