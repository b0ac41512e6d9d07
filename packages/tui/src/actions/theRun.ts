/** Commands on one run of a project. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type NamedProject, namedRun } from "../commands/flags.ts"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { commandOn } from "./nextStep.ts"
import { findRun, type ProjectStores, writeStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"

export interface TheRun {
  readonly project: Project
  readonly stores: ProjectStores
  readonly run: RunRecord
  /** A command on this run, ready to be typed. */
  readonly command: (verb: string) => string
}

type Words = NamedProject & { readonly run: Option.Option<string> }

const unnamed = new CommandError({
  kind: "usage",
  message: "no run is named",
  suggestion: "name one by its id, or say latest; arena runs lists them"
})

/** The run that the command line names, which it must: what changes a run does not guess which. */
export const theRun = Effect.fnUntraced(function* (
  words: Words,
  find: (stores: ProjectStores, project: Project, wanted: string) => ReturnType<typeof findRun> = findRun
) {
  const named = namedRun(words)
  if (Option.isNone(named.run)) return yield* unnamed
  const project = yield* loadProject(named)
  const stores = yield* writeStores(project)
  const run = yield* find(stores, project, named.run.value)
  const found: TheRun = { project, stores, run, command: (verb) => commandOn(verb, run.runId, named) }
  return found
})

/** A line for people, or the same as a document. */
export const tell = Effect.fnUntraced(function* (
  json: boolean,
  text: string,
  document: Readonly<Record<string, unknown>>
) {
  const { stdout } = yield* Output
  yield* stdout.write(json ? `${stringify({ schema_version: 1, ...document }, 2)}\n` : `${sanitise(text)}\n`)
})
