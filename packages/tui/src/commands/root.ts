import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { archive } from "./archive.ts"
import { cache } from "./cache.ts"
import { doctor } from "./doctor.ts"
import { duplicate } from "./duplicate.ts"
import { exportRun } from "./exportRun.ts"
import { grade } from "./grade.ts"
import { importRun } from "./importRun.ts"
import { init } from "./init.ts"
import { label } from "./label.ts"
import { models } from "./models.ts"
import { remove } from "./remove.ts"
import { report } from "./report.ts"
import { restore } from "./restore.ts"
import { resume } from "./resume.ts"
import { retry } from "./retry.ts"
import { run } from "./run.ts"
import { runs } from "./runs.ts"
import { scenario } from "./scenario.ts"
import { schema } from "./schema.ts"
import { scorers } from "./scorers.ts"
import { stop } from "./stop.ts"
import { tests } from "./tests.ts"
import { tui } from "./tui.ts"
import { vacuum } from "./vacuum.ts"
import { validate } from "./validate.ts"
import { watch } from "./watch.ts"

/** `--no-color`. What it does is decided before parsing, so that errors of parsing obey it, too. */
const NoColour = GlobalFlag.Setting("no-color")({
  flag: Flag.Boolean("no-color").pipe(
    Flag.withDescription("Plain text; NO_COLOR and FORCE_COLOR are honoured as well"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
})

/** The whole command line. Handlers are loaded when they run. */
export const makeCli = () =>
  Command.make("arena").pipe(
    Command.withDescription("Decide which model, prompt, pipeline or agent to ship, on your own cases."),
    Command.withSubcommands([
      { group: "Runs", commands: [run, resume, retry, stop, watch, tui] },
      { group: "Projects", commands: [init, duplicate, validate, doctor, tests, scorers, scenario, models, schema] },
      { group: "Results", commands: [runs, report, grade, exportRun, importRun] },
      { group: "Housekeeping", commands: [label, archive, remove, restore, vacuum, cache] }
    ]),
    Command.withGlobalFlags([NoColour])
  )
