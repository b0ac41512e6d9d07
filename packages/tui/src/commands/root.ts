import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { init } from "./init.ts"
import { models } from "./models.ts"
import { report } from "./report.ts"
import { resume } from "./resume.ts"
import { retry } from "./retry.ts"
import { run } from "./run.ts"
import { runs } from "./runs.ts"
import { schema } from "./schema.ts"
import { scorers } from "./scorers.ts"
import { tests } from "./tests.ts"
import { tui } from "./tui.ts"
import { validate } from "./validate.ts"

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
    Command.withSubcommands([run, resume, retry, tui, init, validate, tests, scorers, models, schema, runs, report]),
    Command.withGlobalFlags([NoColour])
  )
