import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, off, optionalNumber, optionalString, projectFlags, yes } from "./flags.ts"
import { lazily } from "./lazily.ts"
import { overrideFlags } from "./run.ts"

const { cache: _cache, record: _record, replay: _replay, ...selection } = overrideFlags

const flags = {
  ...projectFlags,
  ...selection,
  driftThreshold: optionalNumber(
    "drift-threshold",
    "0..1",
    "Least difference that matters, on the scale of scores"
  ).pipe(Flag.withAlias("threshold")),
  webhook: optionalString("webhook", "URL", "Told of what is flagged; watch.webhook by default"),
  history: Flag.Int("history").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Hold it against at most so many earlier runs"),
    Flag.withDefault(5)
  ),
  loop: off("loop", "Run again and again; Ctrl-C ends it"),
  interval: Flag.Finite("interval").pipe(
    Flag.withMetavar("S"),
    Flag.withDescription("Seconds from the end of one run to the start of the next"),
    Flag.withDefault(3600)
  ),
  failOnDrift: off("fail-on-drift", "Exit with 2 as soon as something is flagged"),
  yes,
  quiet: off("quiet", "No progress").pipe(Flag.withAlias("q")),
  json: json.pipe(Flag.withDescription("Print one JSON document a run, each on a line of its own"))
}

export type WatchInput = Command.Command.Config.Infer<typeof flags>

export const watch = Command.make("watch", flags, (input) =>
  lazily(
    () => import("../actions/watch.ts"),
    ({ watchProject }) => watchProject(input)
  )
).pipe(
  Command.withDescription(
    "Run a project and hold every contestant against its own earlier runs: completed ones, of the same cases, rules and contestant. Drift is a difference that matters (the threshold) and that chance does not explain (the interval, paired by case). Answers never come from the cache. Exit codes as arena run, 2 with --fail-on-drift."
  ),
  Command.withShortDescription("Run a project again and tell what has drifted since earlier runs"),
  Command.withExamples([
    { command: "arena watch my-task --fail-on-drift", description: "from a scheduler" },
    { command: "arena watch my-task --loop --interval 21600 --json >> watch.jsonl" }
  ])
)
