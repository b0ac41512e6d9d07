import type { CaseId, ContestantKey } from "../domain/Ids.ts"
import type { RankingRules } from "../domain/Project.ts"
import { type ContestantColumns, Kind, type MeasuredCell, makeColumns, Passed, record } from "./ContestantColumns.ts"
import { isBuiltIn } from "./MetricDefinition.ts"

export type { ContestantColumns, MeasuredCell } from "./ContestantColumns.ts"

/** What stands in one cell. Costs USD, latency ms, score 0..1; null = unknown. */
export interface CellOutcome {
  readonly kind: "ok" | "error" | "timeout" | "interrupted"
  readonly score: number | null
  readonly passed: boolean | null
  readonly latencyMs: number | null
  readonly costUsd: number | null
}

/** The trials of one contestant on one case, summed up. */
export interface CaseSummary {
  readonly ok: number
  readonly errors: number
  readonly timedOut: number
  readonly interrupted: number
  readonly graded: number
  readonly passed: number
  /** Mean of the graded trials; null when there is none. */
  readonly meanScore: number | null
}

/** How many cells of a contestant ended which way; `errors` are those that are not time-outs. */
export interface CellTally {
  readonly planned: number
  readonly ok: number
  readonly errors: number
  readonly timedOut: number
  readonly interrupted: number
}

/**
 * Compact, mutable table of measured cells (typed arrays): about 43 bytes a cell, whatever the outputs weigh.
 *
 * Readers may look at any time; `version` tells whether anything changed since they last did. Names that the rules do not
 * know are ignored by `add` and have no outcome.
 */
export interface Measurements {
  readonly rules: RankingRules
  /** Records a cell, replacing what stood there. */
  readonly add: (result: MeasuredCell) => void
  /** Number of cells recorded so far, replacements included. */
  readonly version: () => number
  /** Null when the cell has no outcome yet. `trial` is 1-based. */
  readonly outcome: (contestant: ContestantKey, caseId: CaseId, trial: number) => CellOutcome | null
  readonly caseSummary: (contestant: ContestantKey, caseId: CaseId) => CaseSummary
  /** In constant time. */
  readonly tally: (contestant: ContestantKey) => CellTally
  /** Sum of the known costs of a contestant's cells, USD, failed and interrupted ones included; null when none is known. */
  readonly spentUsd: (contestant: ContestantKey) => number | null
  /** The columns themselves, for whoever reads very many cells; null when nothing was recorded. */
  readonly columns: (contestant: ContestantKey) => ContestantColumns | null
  /** Position of a case in the rules; undefined when they do not know it. */
  readonly caseIndex: (caseId: CaseId) => number | undefined
  /** Whether some custom metrics were dropped because there were too many names. */
  readonly metricsDropped: () => boolean
}

/** Custom metrics beyond this many names are kept only when the rules name them. */
const maxCustomMetrics = 64

const kinds = ["none", "ok", "error", "timeout", "interrupted"] as const

const known = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value)

const outcomeAt = (columns: ContestantColumns, slot: number): CellOutcome | null => {
  const kind = kinds[columns.kind[slot] ?? Kind.none] ?? "none"
  if (kind === "none") return null
  const passed = columns.passed[slot]
  return {
    kind,
    score: known(columns.score[slot]),
    passed: passed === Passed.yes ? true : passed === Passed.no ? false : null,
    latencyMs: known(columns.latencyMs[slot]),
    costUsd: known(columns.costUsd[slot])
  }
}

const noCase: CaseSummary = { ok: 0, errors: 0, timedOut: 0, interrupted: 0, graded: 0, passed: 0, meanScore: null }

const summarise = (columns: ContestantColumns, first: number, trials: number): CaseSummary => {
  const tally = [0, 0, 0, 0, 0]
  let graded = 0
  let passed = 0
  let total = 0
  for (let slot = first; slot < first + trials; slot += 1) {
    const kind = columns.kind[slot] ?? Kind.none
    tally[kind] = (tally[kind] ?? 0) + 1
    const score = columns.score[slot] ?? Number.NaN
    if (Number.isNaN(score)) continue
    graded += 1
    total += score
    if (columns.passed[slot] === Passed.yes) passed += 1
  }
  const [, ok = 0, errors = 0, timedOut = 0, interrupted = 0] = tally
  return { ok, errors, timedOut, interrupted, graded, passed, meanScore: graded === 0 ? null : total / graded }
}

const spent = (columns: ContestantColumns): number | null => {
  let total = 0
  let priced = 0
  for (const cost of columns.costUsd) {
    if (Number.isNaN(cost)) continue
    total += cost
    priced += 1
  }
  return priced === 0 ? null : total
}

/** Decides which custom metrics get a column: never a built-in name, and not without bound. */
const makeAdmission = (rules: RankingRules) => {
  const wanted = new Set([...Object.keys(rules.metrics.weights), ...Object.keys(rules.metrics.specs)])
  wanted.add(rules.metrics.tieBreaker)
  const seen = new Set<string>()
  let dropped = false
  const admits = (name: string): boolean => {
    if (isBuiltIn(name)) return false
    if (seen.has(name) || wanted.has(name) || seen.size < maxCustomMetrics) {
      seen.add(name)
      return true
    }
    dropped = true
    return false
  }
  return { admits, dropped: () => dropped }
}

/** An empty table for these rules. The columns of a contestant are made when its first cell arrives. */
export const make = (rules: RankingRules): Measurements => {
  const contestants = new Map<string, number>(rules.contestants.map(({ key }, index) => [key, index]))
  const cases = new Map<string, number>(rules.cases.map(({ id }, index) => [id, index]))
  const table: Array<ContestantColumns | undefined> = rules.contestants.map(() => undefined)
  const { trials } = rules
  const slots = rules.cases.length * trials
  const admission = makeAdmission(rules)
  let version = 0

  const columns = (contestant: string) => table[contestants.get(contestant) ?? -1] ?? null
  const slotOf = (caseId: string, trial: number): number => {
    const index = cases.get(caseId)
    return index === undefined || !(trial >= 1 && trial <= trials) ? -1 : index * trials + trial - 1
  }

  return {
    rules,
    add: (result) => {
      const contestant = contestants.get(result.contestant)
      const slot = slotOf(result.caseId, result.trial)
      if (contestant === undefined || slot < 0) return
      let own = table[contestant]
      if (own === undefined) {
        own = makeColumns(slots)
        table[contestant] = own
      }
      record(own, slot, result, admission.admits)
      version += 1
    },
    version: () => version,
    outcome: (contestant, caseId, trial) => {
      const own = columns(contestant)
      const slot = slotOf(caseId, trial)
      return own === null || slot < 0 ? null : outcomeAt(own, slot)
    },
    caseSummary: (contestant, caseId) => {
      const own = columns(contestant)
      const first = slotOf(caseId, 1)
      return own === null || first < 0 ? noCase : summarise(own, first, trials)
    },
    tally: (contestant) => {
      const [, ok = 0, errors = 0, timedOut = 0, interrupted = 0] = columns(contestant)?.tally ?? []
      return { planned: slots, ok, errors, timedOut, interrupted }
    },
    spentUsd: (contestant) => {
      const own = columns(contestant)
      return own === null ? null : spent(own)
    },
    columns,
    caseIndex: (caseId) => cases.get(caseId),
    metricsDropped: admission.dropped
  }
}
