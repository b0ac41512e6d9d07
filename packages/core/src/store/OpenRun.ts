/** Writes what is known before the first call of a run, and adopts a run that is to be resumed. */
import type { CaseId, ContestantKey } from "../domain/Ids.ts"
import type { RankingRules } from "../domain/Project.ts"
import * as ExactJson from "./ExactJson.ts"
import * as PlanAxis from "./PlanAxis.ts"
import { insert, update } from "./RowStatement.ts"
import type { RunHeader } from "./RunHeader.ts"
import { type RunRow, segmentColumns, startColumns } from "./RunRow.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import * as TextColumn from "./TextColumn.ts"

/** Where the results of an open run go. */
export interface OpenRun {
  readonly pk: number
  readonly segment: number
  readonly contestants: ReadonlyMap<
    ContestantKey,
    { readonly ix: number; readonly model: string; readonly provider: string }
  >
  readonly cases: ReadonlyMap<CaseId, number>
}

/** The row of a run as it stands; undefined when there is none. */
export const find = (transaction: SqliteTransaction, runId: string): RunRow | undefined =>
  transaction.all<RunRow>("SELECT * FROM runs WHERE run_id = ?", [TextColumn.encode(runId)])[0]

const addSegment = (
  transaction: SqliteTransaction,
  header: RunHeader,
  place: { readonly run: number; readonly segment: number; readonly kind: "start" | "resume" }
): void => {
  const { record } = header
  transaction.run(
    ...insert("run_segments", {
      ...place,
      started_at: record.startedAt,
      arena_version: record.arenaVersion,
      git_sha: record.gitSha,
      host: record.host === null ? null : JSON.stringify(record.host),
      config: ExactJson.stringify(header.config)
    })
  )
}

/** The cases of the rules are in `run_cases`, with their hashes. */
const documentOf = (rules: RankingRules): string => ExactJson.stringify({ ...rules, cases: [] })

const contestantsOf = (header: RunHeader): ReadonlyArray<PlanAxis.PlannedContestant> =>
  header.rules.contestants.map((contestant) => ({
    key: TextColumn.encode(contestant.key),
    model: TextColumn.encode(contestant.model),
    provider: TextColumn.encode(contestant.provider),
    hash: header.contestantHashes.get(contestant.key) ?? null
  }))

const casesOf = (header: RunHeader): ReadonlyArray<PlanAxis.PlannedCase> =>
  header.rules.cases.map((testCase, index) => ({
    id: TextColumn.encode(testCase.id),
    inputHash: header.caseHashes[index]?.input ?? null,
    scoringHash: header.caseHashes[index]?.scoring ?? null,
    weight: testCase.weight,
    tags: JSON.stringify(testCase.tags)
  }))

const opened = (header: RunHeader, pk: number, segment: number): OpenRun => ({
  pk,
  segment,
  contestants: new Map(
    header.rules.contestants.map(({ key, model, provider }, ix) => [key, { ix, model, provider }] as const)
  ),
  cases: new Map(header.rules.cases.map(({ id }, ix) => [id, ix] as const))
})

/** Writes a new run. */
export const start = (transaction: SqliteTransaction, header: RunHeader): OpenRun => {
  transaction.run(...insert("runs", startColumns(header.record)))
  const pk = find(transaction, header.record.runId)?.pk ?? 0
  transaction.run(
    ...insert("run_documents", {
      run: pk,
      description: TextColumn.encode(header.description),
      rules: documentOf(header.rules),
      leaderboard: null
    })
  )
  addSegment(transaction, header, { run: pk, segment: 1, kind: "start" })
  PlanAxis.addContestants(transaction, pk, contestantsOf(header))
  PlanAxis.addCases(transaction, pk, casesOf(header))
  return opened(header, pk, 1)
}

/** Continues a run: a new segment under the plan of `header`; results that no longer fit it are marked stale. */
export const adopt = (transaction: SqliteTransaction, header: RunHeader, row: RunRow): OpenRun => {
  const segment = row.segment + 1
  transaction.run(...update("runs", { ...segmentColumns(header.record), segment, deleted_at: null }, row.pk))
  transaction.run("UPDATE run_documents SET description = ?, rules = ?, leaderboard = NULL WHERE run = ?", [
    TextColumn.encode(header.description),
    documentOf(header.rules),
    row.pk
  ])
  transaction.run("DELETE FROM rankings WHERE run = ?", [row.pk])
  addSegment(transaction, header, { run: row.pk, segment, kind: "resume" })
  PlanAxis.replanContestants(transaction, row.pk, contestantsOf(header))
  PlanAxis.replanCases(transaction, row.pk, casesOf(header))
  return opened(header, row.pk, segment)
}
