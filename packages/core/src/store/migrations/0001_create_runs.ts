import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * One row a run; the last segment says where it runs or ran. Times are ISO 8601 UTC. The key of a deleted run is never
 * used again, because its writer may still be there.
 */
const runs = `CREATE TABLE runs (
  pk INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL,
  label TEXT,
  notes TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  started_at TEXT NOT NULL,
  finished_at TEXT,
  duration_ms REAL,
  status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'partial', 'aborted', 'failed')),
  stop_reason TEXT,
  arena_version TEXT NOT NULL,
  git_sha TEXT,
  contestants INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  trials INTEGER NOT NULL,
  planned INTEGER NOT NULL,
  finished INTEGER NOT NULL,
  interrupted INTEGER NOT NULL,
  not_started INTEGER NOT NULL,
  errored INTEGER NOT NULL,
  timed_out INTEGER NOT NULL,
  winner TEXT,
  total_cost_usd REAL,
  request_timeout_s REAL,
  idle_timeout_s REAL,
  cell_timeout_s REAL,
  max_wall_s REAL,
  host TEXT,
  heartbeat_at TEXT,
  segment INTEGER NOT NULL DEFAULT 1,
  archived_at TEXT,
  deleted_at TEXT
) STRICT`

/** What is too large to be read with every list of runs. \`rules\` is without its cases, which are in \`run_cases\`. */
const documents = `CREATE TABLE run_documents (
  run INTEGER PRIMARY KEY REFERENCES runs (pk) ON DELETE CASCADE,
  description TEXT NOT NULL,
  rules TEXT NOT NULL,
  leaderboard TEXT
) STRICT`

/** A run is made of segments: its start, each time it was resumed, and each time results were copied into it. */
const segments = `CREATE TABLE run_segments (
  run INTEGER NOT NULL REFERENCES runs (pk) ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('start', 'resume', 'reuse')),
  started_at TEXT NOT NULL,
  finished_at TEXT,
  status TEXT,
  stop_reason TEXT,
  arena_version TEXT NOT NULL,
  git_sha TEXT,
  host TEXT,
  source_run_id TEXT,
  config TEXT,
  PRIMARY KEY (run, segment)
) STRICT, WITHOUT ROWID`

/** \`ix\` is the place in the plan. What a later segment no longer plans stays, behind the planned ones. */
const contestants = `CREATE TABLE run_contestants (
  run INTEGER NOT NULL REFERENCES runs (pk) ON DELETE CASCADE,
  ix INTEGER NOT NULL,
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  hash TEXT,
  planned INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (run, ix),
  UNIQUE (run, key)
) STRICT, WITHOUT ROWID`

const cases = `CREATE TABLE run_cases (
  run INTEGER NOT NULL REFERENCES runs (pk) ON DELETE CASCADE,
  ix INTEGER NOT NULL,
  id TEXT NOT NULL,
  input_hash TEXT,
  scoring_hash TEXT,
  weight REAL NOT NULL,
  tags TEXT NOT NULL,
  planned INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (run, ix),
  UNIQUE (run, id)
) STRICT, WITHOUT ROWID`

/**
 * \`stale\`: 0 = counts; 1 = the scoring of its case has changed, the answer is still good; 2 = the case or the contestant
 * has changed. \`scorer\` names the only scorer, when the result's own score says all that it said. \`attempt_at\` and
 * \`attempt_ms\` are the first attempt. \`record\` is a JSON object of everything that the columns do not say, under the
 * names of the program; what is in it wins over the columns.
 */
const resultColumns = `
  run INTEGER NOT NULL,
  case_ix INTEGER NOT NULL,
  contestant_ix INTEGER NOT NULL,
  trial INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  stale INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  stop_reason TEXT NOT NULL,
  score REAL,
  passed INTEGER,
  latency_ms REAL,
  first_token_ms REAL,
  duration_ms REAL NOT NULL,
  cost_usd REAL,
  cost_source TEXT,
  prompt_tokens REAL,
  completion_tokens REAL,
  cached_read_tokens REAL,
  cached_write_tokens REAL,
  reasoning_tokens REAL,
  attempts INTEGER NOT NULL,
  attempt_at REAL,
  attempt_ms REAL,
  started_at REAL NOT NULL,
  finished_at REAL NOT NULL,
  scorer TEXT,
  reason TEXT NOT NULL,
  error TEXT,
  output TEXT,
  record TEXT`

const placed = `
  FOREIGN KEY (run, contestant_ix) REFERENCES run_contestants (run, ix) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (run, case_ix) REFERENCES run_cases (run, ix) ON UPDATE CASCADE ON DELETE CASCADE`

/** One row a cell and run, in the order of the plan. */
const results = `CREATE TABLE results (${resultColumns},
  UNIQUE (run, case_ix, contestant_ix, trial),${placed}
) STRICT`

/** Results that a later one of the same cell has replaced: nothing that was paid for is forgotten. */
const superseded = `CREATE TABLE superseded_results (${resultColumns},
  kind TEXT NOT NULL CHECK (kind IN ('rerun', 'rescored')),${placed}
) STRICT`

const rankings = `CREATE TABLE rankings (
  run INTEGER NOT NULL REFERENCES runs (pk) ON DELETE CASCADE,
  contestant TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  rank INTEGER,
  status TEXT NOT NULL,
  composite REAL,
  metrics TEXT NOT NULL,
  stats TEXT NOT NULL,
  failures TEXT NOT NULL,
  warnings TEXT NOT NULL,
  PRIMARY KEY (run, contestant)
) STRICT, WITHOUT ROWID`

/** For a person with the sqlite3 shell: names instead of numbers, times as text. */
const resultsView = `CREATE VIEW results_view AS
SELECT runs.run_id, runs.project, run_cases.id AS case_id, run_contestants.key AS contestant, results.trial,
  results.status, results.stop_reason, results.score, results.passed, results.output, results.reason, results.error,
  results.latency_ms, results.first_token_ms, results.duration_ms, results.cost_usd, results.cost_source,
  results.prompt_tokens, results.completion_tokens, results.cached_read_tokens, results.cached_write_tokens,
  results.reasoning_tokens, results.attempts, results.scorer,
  strftime('%Y-%m-%dT%H:%M:%fZ', results.started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', results.finished_at / 1000.0, 'unixepoch') AS finished_at,
  run_segments.kind AS segment_kind, run_segments.source_run_id, results.stale, results.record
FROM results
JOIN runs ON runs.pk = results.run
JOIN run_cases ON run_cases.run = results.run AND run_cases.ix = results.case_ix
JOIN run_contestants ON run_contestants.run = results.run AND run_contestants.ix = results.contestant_ix
LEFT JOIN run_segments ON run_segments.run = results.run AND run_segments.segment = results.segment`

const rankingsView = `CREATE VIEW rankings_view AS
SELECT runs.run_id, runs.project, runs.started_at, runs.status AS run_status, runs.stop_reason AS run_stop_reason,
  rankings.contestant, rankings.model, rankings.provider, rankings.rank, rankings.status, rankings.composite,
  rankings.metrics, rankings.stats, rankings.failures, rankings.warnings
FROM rankings JOIN runs ON runs.pk = rankings.run`

const indexes = [
  "CREATE INDEX runs_by_start ON runs (started_at)",
  "CREATE INDEX superseded_by_case ON superseded_results (run, case_ix, contestant_ix, trial)",
  "CREATE INDEX rankings_by_contestant ON rankings (contestant)"
]

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    [
      runs,
      documents,
      segments,
      contestants,
      cases,
      results,
      superseded,
      rankings,
      resultsView,
      rankingsView,
      ...indexes
    ],
    (statement) => sql.unsafe(statement),
    { discard: true }
  )
)
