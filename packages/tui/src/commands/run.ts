import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, list, off, optionalInt, optionalNumber, optionalString, placeFlags, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

/** Flags that replace settings of the project; `arena tui` has them, too. */
export const overrideFlags = {
  contestants: list("contestants", "Only these contestants (keys or model ids)").pipe(Flag.withAlias("models")),
  trials: optionalInt("trials", "Repetitions of each case"),
  concurrency: optionalInt("concurrency", "Cells in flight at a time"),
  cases: list("cases", "Only these cases, by id").pipe(Flag.withAlias("ids")),
  tags: list("tags", "Only cases with one of these tags"),
  excludeTags: list("exclude-tags", "No cases with one of these tags"),
  limit: optionalInt("limit", "At most so many cases, in file order"),
  seed: optionalInt("seed", "Seed of everything random that is ours, and of providers that take one"),
  retries: optionalInt("retries", "Further attempts after one that failed"),
  requestTimeoutS: optionalNumber("request-timeout-s", "S", "Limit of one attempt; 0 = the client's own"),
  cellTimeoutS: optionalNumber("cell-timeout-s", "S", "Limit of everything a cell does; 0 = off"),
  maxWallS: optionalNumber("max-wall-s", "S", "Limit of the whole run; 0 = off"),
  maxRunUsd: optionalNumber("max-run-usd", "USD", "Stop the run when this much is spent"),
  cache: Flag.String("cache").pipe(
    Flag.withOptionalValue("true"),
    Flag.withMetavar("PATH"),
    Flag.withDescription("Answer from the response cache what was asked before; --cache=PATH for another folder"),
    Flag.optional
  ),
  record: optionalString("record", "DIR", "Record every exchange with a provider"),
  replay: optionalString("replay", "DIR", "Answer from a recording, and only from it; nobody is asked"),
  failFast: off("fail-fast", "Stop at the first call that fails"),
  ...placeFlags
}

/** How a run is done and told, whatever it begins with; `resume` and `retry` have these flags, too. */
export const executionFlags = {
  label: optionalString("label", "TEXT", "A name for the run, shown in listings"),
  failUnder: optionalNumber("fail-under", "SCORE", "Exit with 2 when the leader's composite is below this (0..1)"),
  requireWinner: off("require-winner", "Exit with 2 when no winner can be declared"),
  dryRun: off("dry-run", "Show what would run and what it may cost; run nothing"),
  yes: off("yes", "Do not ask, whatever it may cost").pipe(Flag.withAlias("y")),
  noReport: off("no-report", "Write no report files; results are kept in the database all the same"),
  quiet: off("quiet", "No progress, and no hints what to type next").pipe(Flag.withAlias("q")),
  json,
  events: optionalString("events", "FILE|-", "Write what happens as NDJSON; with - to stdout, the table then to stderr")
}

export const keepErrors = off("keep-errors", "Let errors and time-outs of before stand; they are asked again otherwise")

export const runFlags = {
  ...projectFlags,
  ...overrideFlags,
  ...executionFlags,
  resume: optionalString(
    "resume",
    "RUN|latest",
    "Go on with a run: only what is missing, interrupted or changed is asked"
  ),
  reuse: optionalString("reuse", "RUN|latest", "A new run that takes over what an earlier one has measured of it"),
  keepErrors
}

export const run = Command.make("run", runFlags, (input) =>
  lazily(
    () => import("../actions/run.ts"),
    ({ runProject }) => runProject(input)
  )
).pipe(
  Command.withAlias("evaluate"),
  Command.withDescription(
    "Run every contestant on every case and rank them. Exit codes: 0 done, 1 failed, 2 gate not met, 3 ended early by its own limits, 124 SIGTERM, 130 Ctrl-C."
  ),
  Command.withShortDescription("Run every contestant on every case and rank them"),
  Command.withExamples([
    { command: "arena run projects/quickstart" },
    { command: "arena run my-task --contestants haiku,flash --trials 3 --seed 1" },
    { command: "arena run my-task --json --fail-under 0.8 > report.json", description: "in CI" }
  ])
)

export type RunInput = Command.Command.Config.Infer<typeof runFlags>
