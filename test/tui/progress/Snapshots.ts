import type { RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { simulatedRunId } from "../app/simulation/SimulatedRun.ts"

/** A run as a whole, of which only some things matter. */
export const snapshotOf = (fields: Partial<RunSnapshot>): RunSnapshot => ({
  runId: simulatedRunId,
  project: "p",
  seq: 1,
  phase: "running",
  stopReason: null,
  counts: { planned: 600, finished: 300, interrupted: 0, notStarted: 300, errored: 0, timedOut: 0 },
  inFlight: 0,
  retries: 0,
  passed: 0,
  spentUsd: null,
  startedAt: 0,
  elapsedMs: 12_000,
  ...fields
})
