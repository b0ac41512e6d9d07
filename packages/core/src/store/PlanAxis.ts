/** The two axes of a run's matrix as rows: contestants and cases, in plan order, and what a new plan does to them. */
import type { SqliteTransaction } from "./SqliteClient.ts"
import * as TextColumn from "./TextColumn.ts"

export interface PlannedContestant {
  readonly key: string
  readonly model: string
  readonly provider: string
  /** Null = not known (it is skipped); then nothing is said about its earlier results. */
  readonly hash: string | null
}

export interface PlannedCase {
  readonly id: string
  readonly inputHash: string | null
  readonly scoringHash: string | null
  readonly weight: number
  /** JSON. */
  readonly tags: string
}

const insertContestant = "INSERT INTO run_contestants (run, ix, key, model, provider, hash) VALUES (?, ?, ?, ?, ?, ?)"
const insertCase =
  "INSERT INTO run_cases (run, ix, id, input_hash, scoring_hash, weight, tags) VALUES (?, ?, ?, ?, ?, ?, ?)"

const addContestant = (transaction: SqliteTransaction, run: number, ix: number, it: PlannedContestant): void => {
  transaction.run(insertContestant, [run, ix, it.key, it.model, it.provider, it.hash])
}

const addCase = (transaction: SqliteTransaction, run: number, ix: number, it: PlannedCase): void => {
  transaction.run(insertCase, [run, ix, it.id, it.inputHash, it.scoringHash, it.weight, it.tags])
}

export const addContestants = (
  transaction: SqliteTransaction,
  run: number,
  contestants: ReadonlyArray<PlannedContestant>
): void => {
  for (const [ix, it] of contestants.entries()) addContestant(transaction, run, ix, it)
}

export const addCases = (transaction: SqliteTransaction, run: number, cases: ReadonlyArray<PlannedCase>): void => {
  for (const [ix, it] of cases.entries()) addCase(transaction, run, ix, it)
}

interface Known {
  readonly ix: number
  readonly name: string
}

/**
 * Gives the known rows the places of the new plan; those that it no longer names go behind it. Results follow their
 * rows by foreign key. Returns the known names.
 */
const renumber = (
  transaction: SqliteTransaction,
  run: number,
  axis: { readonly table: string; readonly name: string },
  plan: ReadonlyArray<string>
): ReadonlySet<string> => {
  const { table, name } = axis
  const known = transaction.all<Known>(`SELECT ix, ${name} AS name FROM ${table} WHERE run = ? ORDER BY ix`, [run])
  const places = new Map(plan.map((it, ix) => [it, ix] as const))
  let next = plan.length
  const moved = known.flatMap((row) => {
    const place = places.get(row.name)
    const to = place ?? next++
    if (place === undefined) transaction.run(`UPDATE ${table} SET planned = 0 WHERE run = ? AND ix = ?`, [run, row.ix])
    return to === row.ix ? [] : [{ from: row.ix, to }]
  })
  // In two steps, because two rows never share a place, not even for a moment.
  for (const { from, to } of moved) {
    transaction.run(`UPDATE ${table} SET ix = ? WHERE run = ? AND ix = ?`, [-1 - to, run, from])
  }
  if (moved.length > 0) transaction.run(`UPDATE ${table} SET ix = -1 - ix WHERE run = ? AND ix < 0`, [run])
  return new Set(known.map((row) => row.name))
}

/** Where results are: those that stand, and those that a later one has replaced. */
const resultTables = ["results", "superseded_results"]

interface KnownContestant {
  readonly model: string
  readonly provider: string
  readonly hash: string | null
}

const json = (stored: string): string => JSON.stringify(TextColumn.decode(stored))

/**
 * A row leaves out the model and the provider of its result where they are its contestant's; before those change, they
 * are written into the rows.
 */
const keepModels = (transaction: SqliteTransaction, run: number, ix: number, known: KnownContestant): void => {
  for (const table of resultTables) {
    transaction.run(
      `UPDATE ${table} SET record = json_insert(coalesce(record, '{}'), '$.model', json(?), '$.provider', json(?))
       WHERE run = ? AND contestant_ix = ?`,
      [json(known.model), json(known.provider), run, ix]
    )
  }
}

/** Results of a changed contestant no longer count; they stay until they are replaced, and as replaced ones. */
const replanContestant = (transaction: SqliteTransaction, run: number, ix: number, it: PlannedContestant): void => {
  const known = transaction.all<KnownContestant>(
    "SELECT model, provider, hash FROM run_contestants WHERE run = ? AND ix = ?",
    [run, ix]
  )[0]
  if (known !== undefined && (known.model !== it.model || known.provider !== it.provider)) {
    keepModels(transaction, run, ix, known)
  }
  if (it.hash !== null && it.hash !== known?.hash) {
    for (const table of resultTables) {
      transaction.run(`UPDATE ${table} SET stale = 2 WHERE run = ? AND contestant_ix = ?`, [run, ix])
    }
  }
  transaction.run(
    "UPDATE run_contestants SET model = ?, provider = ?, hash = coalesce(?, hash), planned = 1 WHERE run = ? AND ix = ?",
    [it.model, it.provider, it.hash, run, ix]
  )
}

export const replanContestants = (
  transaction: SqliteTransaction,
  run: number,
  contestants: ReadonlyArray<PlannedContestant>
): void => {
  const axis = { table: "run_contestants", name: "key" }
  const keys = contestants.map((it) => it.key)
  const known = renumber(transaction, run, axis, keys)
  contestants.forEach((it, ix) => {
    if (known.has(it.key)) replanContestant(transaction, run, ix, it)
    else addContestant(transaction, run, ix, it)
  })
}

interface KnownCase {
  readonly input_hash: string | null
  readonly scoring_hash: string | null
}

/** A changed input makes results useless, a changed scoring only their scores. */
const replanCase = (transaction: SqliteTransaction, run: number, ix: number, it: PlannedCase): void => {
  const known = transaction.all<KnownCase>("SELECT input_hash, scoring_hash FROM run_cases WHERE run = ? AND ix = ?", [
    run,
    ix
  ])[0]
  const stale = known?.input_hash !== it.inputHash ? 2 : known.scoring_hash !== it.scoringHash ? 1 : 0
  if (stale > 0) {
    for (const table of resultTables) {
      transaction.run(`UPDATE ${table} SET stale = max(stale, ?) WHERE run = ? AND case_ix = ?`, [stale, run, ix])
    }
  }
  transaction.run(
    `UPDATE run_cases SET input_hash = ?, scoring_hash = ?, weight = ?, tags = ?, planned = 1 WHERE run = ? AND ix = ?`,
    [it.inputHash, it.scoringHash, it.weight, it.tags, run, ix]
  )
}

export const replanCases = (transaction: SqliteTransaction, run: number, cases: ReadonlyArray<PlannedCase>): void => {
  const axis = { table: "run_cases", name: "id" }
  const known = renumber(
    transaction,
    run,
    axis,
    cases.map((it) => it.id)
  )
  cases.forEach((it, ix) => {
    if (known.has(it.id)) replanCase(transaction, run, ix, it)
    else addCase(transaction, run, ix, it)
  })
}
