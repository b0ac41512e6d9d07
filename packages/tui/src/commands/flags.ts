/** Flags and arguments that several commands share. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandError } from "../process/Failure.ts"

/** The project, as a positional argument or as `-p`; the present folder when neither is given. */
export const projectFlags = {
  project: Argument.String("project").pipe(
    Argument.withDescription("Project folder or its config file; the present folder by default"),
    Argument.optional
  ),
  projectFlag: Flag.String("project").pipe(
    Flag.withAlias("p"),
    Flag.withMetavar("PATH"),
    Flag.withDescription("The same as the argument"),
    Flag.optional
  )
}

/** `--db` of every command that makes, reads or manages runs. */
export const db = Flag.String("db").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("The database of runs; that of the project by default"),
  Flag.optional
)

/** Where runs and their files are; the same for `arena run` and for all that look for its runs. */
export const placeFlags = {
  outputDir: Flag.String("output-dir").pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription("Where results are, the database included unless it is set"),
    Flag.optional
  ),
  db
}

/** What `projectFlags` and, for commands on runs, `placeFlags` say. */
export interface NamedProject {
  readonly project: Option.Option<string>
  readonly projectFlag: Option.Option<string>
  readonly outputDir?: Option.Option<string>
  readonly db?: Option.Option<string>
}

/** The path that was meant by `projectFlags`. */
export const projectPath = (input: {
  readonly project: Option.Option<string>
  readonly projectFlag: Option.Option<string>
}): Effect.Effect<string, CommandError> => {
  const { project, projectFlag } = input
  if (Option.isSome(project) && Option.isSome(projectFlag) && project.value !== projectFlag.value) {
    const message = `two projects are named: ${project.value} and --project ${projectFlag.value}`
    return Effect.fail(new CommandError({ kind: "usage", message, suggestion: "name one" }))
  }
  return Effect.succeed(
    Option.getOrElse(
      Option.orElse(project, () => projectFlag),
      () => "."
    )
  )
}

/** A run of a project: `PROJECT RUN`, or one of the two; the folder may be named by `-p`, too. */
export const runOfProject = {
  ...projectFlags,
  ...placeFlags,
  run: Argument.String("run").pipe(
    Argument.withDescription("Which run: its id, or latest. It may stand alone for a run of the present folder"),
    Argument.optional
  )
}

interface RunOfProject extends NamedProject {
  readonly run: Option.Option<string>
}

/** Whether a word can only mean a run. */
const isRun = (word: string): boolean => word === "latest" || /^run_\d{8}_\d{6}_[0-9a-f]+$/.test(word)

/** Which of the words of `runOfProject` is the project and which the run. */
export const namedRun = <Words extends RunOfProject>(words: Words): Words => {
  const { project, projectFlag, run } = words
  const isRunAlone =
    Option.isNone(run) && Option.isSome(project) && (Option.isSome(projectFlag) || isRun(project.value))
  return isRunAlone ? { ...words, project: Option.none(), run: project } : words
}

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print exactly one JSON document on stdout, also when the command fails"),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

const words = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "")

const repeated = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("A,B"), Flag.withDescription(description), Flag.atLeast(0))

/** A list that may be comma separated, repeated, or both. Empty = not given. */
export const list = (name: string, description: string) => Flag.map(repeated(name, description), words)

/** The same where an empty list can be meant: none = not given. */
export const optionalList = (name: string, description: string) =>
  Flag.map(repeated(name, description), (values) =>
    values.length === 0 ? Option.none<ReadonlyArray<string>>() : Option.some(words(values))
  )

/** A switch that is off unless given. */
export const off = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

/** Goes before what cannot be undone. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask"),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

export const optionalInt = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("N"), Flag.withDescription(description), Flag.optional)

export const optionalNumber = (name: string, metavar: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const optionalString = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
