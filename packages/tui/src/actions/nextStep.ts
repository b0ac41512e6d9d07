import type { RunRecord } from "@agent-arena/core/domain/Run"
import * as Option from "effect/Option"
import { quoted } from "./shellWord.ts"

/** The project as it was named on the command line. */
export interface NamedProject {
  readonly project: Option.Option<string>
  readonly projectFlag: Option.Option<string>
}

/** Ended, but not with all it planned: it can be resumed. */
export const endedEarly = ({ status }: RunRecord): boolean => status !== "completed" && status !== "running"

/** A command on one run of the project, ready to be typed. */
export const commandOn = (verb: string, runId: string, { project, projectFlag }: NamedProject): string => {
  const path = Option.getOrNull(Option.orElse(project, () => projectFlag))
  return ["arena", verb, ...(path === null ? [] : [quoted(path)]), runId].join(" ")
}

/** What to type after a run that did not do all it planned; null = nothing is left to do. */
export const nextStep = (run: RunRecord, named: NamedProject): string | null =>
  endedEarly(run) ? commandOn("resume", run.runId, named) : null
