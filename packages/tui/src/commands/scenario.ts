import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { json, list, off, optionalInt, optionalString, placeFlags, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The scenario file"))

const runFlags = {
  file,
  answers: Flag.String("answers").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Answers in order: a list of texts and {error: …}; no model is asked")
  ),
  replicate: optionalInt("replicate", "Number of the repetition"),
  record: optionalString("record", "FILE", "Keep the answers as a recording for scenario replay"),
  workspace: optionalString("workspace", "FOLDER", "Folder for materialised traces"),
  json
}
export type ScenarioRunInput = Command.Command.Config.Infer<typeof runFlags>

const run = Command.make("run", runFlags, (input) =>
  lazily(
    () => import("../actions/scenario.ts"),
    ({ runScenario }) => runScenario(input)
  )
).pipe(Command.withDescription("Play a scenario with scripted answers: status, path, turns, state and outcomes"))

const replayFlags = {
  file,
  recording: optionalString("recording", "FILE", "Recording of answers"),
  run: optionalString("run", "RUN|latest", "A stored run to take answers from, instead of a recording").pipe(
    Flag.withAlias("run-id")
  ),
  onto: list("onto", "Nodes that take the answers of ordinary cases of the run with the same question"),
  projectFlag: projectFlags.projectFlag,
  ...placeFlags,
  contestant: optionalString("contestant", "KEY", "Whose recorded answers; scripted, or the only one of the run"),
  trial: optionalInt("trial", "Which repetition; of a run the first by default"),
  strict: off("strict", "Fail on a turn without a recorded answer, whatever the recording says"),
  answers: optionalString("answers", "FILE", "Answers for turns that are not recorded"),
  record: optionalString("record", "FILE", "Keep the answers of the run as a recording"),
  json
}
export type ScenarioReplayInput = Command.Command.Config.Infer<typeof replayFlags>

const replay = Command.make("replay", replayFlags, (input) =>
  lazily(
    () => import("../actions/scenario.ts"),
    ({ replayScenario }) => replayScenario(input)
  )
).pipe(Command.withDescription("Play a scenario from the answers of a recording or of a stored run"))

const checkFlags = { file, strict: off("strict", "Exit with 1 on warnings, too"), json }
export type ScenarioCheckInput = Command.Command.Config.Infer<typeof checkFlags>

const check = Command.make("check", checkFlags, (input) =>
  lazily(
    () => import("../actions/scenario.ts"),
    ({ checkScenario }) => checkScenario(input)
  )
).pipe(Command.withDescription("Check a scenario: loops, unreachable nodes, impossible conditions, unknown scorers"))

const graphFlags = { file, mermaid: off("mermaid", "As a Mermaid flowchart"), json }
export type ScenarioGraphInput = Command.Command.Config.Infer<typeof graphFlags>

const graph = Command.make("graph", graphFlags, (input) =>
  lazily(
    () => import("../actions/scenario.ts"),
    ({ drawScenario }) => drawScenario(input)
  )
).pipe(Command.withDescription("Draw a scenario"))

const pathsFlags = {
  ...projectFlags,
  ...placeFlags,
  run: optionalString("run", "RUN|latest", "Which run; the latest by default").pipe(Flag.withAlias("run-id")),
  json
}
export type ScenarioPathsInput = Command.Command.Config.Infer<typeof pathsFlags>

const paths = Command.make("paths", pathsFlags, (input) =>
  lazily(
    () => import("../actions/scenario.ts"),
    ({ showPaths }) => showPaths(input)
  )
).pipe(Command.withDescription("Which ways the scenarios of a run took: path frequencies, coverage, outcomes"))

export const scenario = Command.make("scenario").pipe(
  Command.withDescription("Try, check, draw and replay scenarios: conversations that go where the answers lead"),
  Command.withShortDescription("Try, check, draw and replay scenarios"),
  Command.withSubcommands([run, check, graph, replay, paths])
)
