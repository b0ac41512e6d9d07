/** The results as JUnit XML, which CI systems show as tests: a test a cell, its class the contestant. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunReport } from "../domain/RunReport.ts"
import { escapeMarkup, escapeMarkupClipped } from "./MarkupText.ts"

const textShown = 2000

type Outcome = "passed" | "failed" | "error" | "skipped"

/** A cell that ended with the run, or waits for a grade, says nothing about the contestant. */
const outcomeOf = (result: CallResult): Outcome => {
  if (result.stopReason === "run_stopped") return "skipped"
  if (result.status === "error") return "error"
  if (result.passed === null) return "skipped"
  return result.passed ? "passed" : "failed"
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const bodyOf = (result: CallResult): string => {
  switch (outcomeOf(result)) {
    case "passed":
      return ""
    case "skipped":
      return `<skipped message="${result.stopReason === "run_stopped" ? "the run ended" : "not graded"}"/>`
    case "error": {
      const { kind, message } = result.error ?? { kind: "internal", message: "" }
      return `<error type="${kind}" message="${escapeMarkupClipped(message, textShown)}"/>`
    }
    case "failed": {
      const output = escapeMarkupClipped(result.output ?? "", textShown)
      return `<failure type="${escapeMarkup(result.scores.map(({ scorer }) => scorer).join("+"))}" message="${escapeMarkupClipped(result.reason, textShown)}">${output}</failure>`
    }
  }
}

const testcase = (result: CallResult): string => {
  const name = `${result.caseId} [${result.trial}]`
  return `    <testcase classname="${escapeMarkup(result.contestant)}" name="${escapeMarkup(name)}" time="${seconds(result.durationMs)}">${bodyOf(result)}</testcase>\n`
}

type Totals = Record<Outcome, number>

const countOutcomes = <E, R>(results: Stream.Stream<CallResult, E, R>): Effect.Effect<Totals, E, R> =>
  Effect.suspend(() => {
    const totals: Totals = { passed: 0, failed: 0, error: 0, skipped: 0 }
    const add = (result: CallResult) => {
      totals[outcomeOf(result)]++
    }
    return Effect.as(
      Stream.runForEachArray(results, (chunk) => Effect.sync(() => chunk.forEach(add))),
      totals
    )
  })

const skippedContestants = ({ rules }: RunReport): string =>
  rules.contestants
    .flatMap(({ key, skipped }) =>
      skipped === null
        ? []
        : [
            `    <testcase classname="${escapeMarkup(key)}" name="contestant"><skipped message="${escapeMarkup(skipped)}"/></testcase>\n`
          ]
    )
    .join("")

/** The file in pieces of a few hundred tests. Reads the results twice: totals stand at the top. */
export const render = <E, R>(
  report: RunReport,
  results: Stream.Stream<CallResult, E, R>
): Stream.Stream<string, E, R> =>
  Stream.unwrap(
    Effect.map(countOutcomes(results), (totals) => {
      const { durationMs, project, runId, startedAt } = report.run
      const skipped = report.rules.contestants.filter((one) => one.skipped !== null).length
      const tests = totals.passed + totals.failed + totals.error + totals.skipped + skipped
      const counts = `tests="${tests}" failures="${totals.failed}" errors="${totals.error}" skipped="${totals.skipped + skipped}"${durationMs === null ? "" : ` time="${seconds(durationMs)}"`}`
      const name = escapeMarkup(project)
      const opening = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}" ${counts}>\n  <testsuite name="${name}" id="${escapeMarkup(runId)}" timestamp="${escapeMarkup(startedAt)}" ${counts}>\n`
      return Stream.succeed(opening + skippedContestants(report)).pipe(
        Stream.concat(Stream.map(Stream.chunks(results), (chunk) => chunk.map(testcase).join(""))),
        Stream.concat(Stream.succeed("  </testsuite>\n</testsuites>\n"))
      )
    })
  )
