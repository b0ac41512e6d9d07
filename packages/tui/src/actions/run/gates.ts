import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { columnFormat, unknown } from "@agent-arena/core/report/Figures"

/** Conditions under which a pipeline accepts a run. */
export interface Gates {
  /** Least composite of the leader, 0..1; null = not asked for. */
  readonly failUnder: number | null
  readonly requireWinner: boolean
}

const epsilon = 1e-9

/** Gates that a completed run does not meet, in words; empty = all are met. */
export const unmetGates = ({ leaderboard }: RunReport, gates: Gates): ReadonlyArray<string> => {
  const unmet: Array<string> = []
  if (gates.failUnder !== null) {
    const leader = leaderboard.entries.find((entry) => entry.rank === 1)
    const composite = leader?.composite ?? null
    if (composite === null || composite < gates.failUnder - epsilon) {
      const write = columnFormat("composite", composite === null ? [] : [[composite, gates.failUnder]])
      const who =
        leader === undefined
          ? "nobody is ranked"
          : `the leader ${leader.key} has ${composite === null ? unknown : write(composite)}`
      unmet.push(`--fail-under ${write(gates.failUnder)}: ${who}`)
    }
  }
  if (gates.requireWinner && leaderboard.verdict._tag !== "Winner") {
    unmet.push(`--require-winner: ${leaderboard.verdict.sentence}`)
  }
  return unmet
}

/** Every call failed: the run kept to its plan, and there is not one answer. */
export const nothingMeasured = ({ run: { counts } }: RunReport): boolean =>
  counts.finished > 0 && counts.errored === counts.finished

/**
 * Exit code of a run: 0 completed, 1 failed or without a single answer, 2 a gate is not met, 3 it ended early by its own
 * rules or was asked to, 124 the process was told to end, 130 Ctrl-C.
 */
export const exitCode = (report: RunReport, unmet: ReadonlyArray<string>): number => {
  const { run } = report
  if (run.stopReason === "deadline") return 124
  if (run.stopReason === "interrupted") return 130
  if (run.status === "completed" && unmet.length > 0) return 2
  if (run.status === "completed") return nothingMeasured(report) ? 1 : 0
  return run.status === "partial" ? 3 : 1
}
