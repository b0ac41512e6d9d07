import type { RunRecord } from "@agent-arena/core/domain/Run"
import * as Option from "effect/Option"
import type { NamedProject } from "../commands/flags.ts"
import { quoted } from "./shellWord.ts"

/** Ended, but not with all it planned: it can be resumed. */
export const endedEarly = ({ status }: RunRecord): boolean => status !== "completed" && status !== "running"

const flag = (name: string, value: Option.Option<string> = Option.none()): ReadonlyArray<string> =>
  Option.isSome(value) ? [name, quoted(value.value)] : []

/** A command on one run of the project, ready to be typed. */
export const commandOn = (verb: string, runId: string, named: NamedProject): string => {
  const path = Option.getOrNull(Option.orElse(named.project, () => named.projectFlag))
  const places = [flag("--output-dir", named.outputDir), flag("--db", named.db)].flat()
  return ["arena", verb, ...(path === null ? [] : [quoted(path)]), runId, ...places].join(" ")
}

/** What to type after a run that did not do all it planned; null = nothing is left to do. */
export const nextStep = (run: RunRecord, named: NamedProject): string | null =>
  endedEarly(run) ? commandOn("resume", run.runId, named) : null
