import type { RunRecord } from "@agent-arena/core/domain/Run"
import { partToJson, runToJson } from "@agent-arena/core/report/JsonReport"
import { stringify } from "@agent-arena/core/report/JsonText"
import * as RunTable from "@agent-arena/core/report/RunTable"
import type { Layout } from "@agent-arena/core/report/TextTable"
import type { RunSegment } from "@agent-arena/core/store/RunSegments"
import type { ShelvedRun } from "@agent-arena/core/store/RunShelf"
import * as Effect from "effect/Effect"
import type { RunsInput } from "../commands/runs.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { endedEarly, nextStep } from "./nextStep.ts"
import { readStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { renderParts } from "./run/parts.ts"

/** A run as it is listed. `parts` is null when they were not asked for. */
interface ListedRun extends ShelvedRun {
  readonly parts: ReadonlyArray<RunSegment> | null
}

/** The label, with the tags and what has become of the run. */
const withMarks = ({ archivedAt, deletedAt, record, tags }: ListedRun): RunRecord => {
  const marks = [
    ...(record.label === null ? [] : [record.label]),
    ...(tags.length === 0 ? [] : [`[${tags.join(", ")}]`]),
    ...(archivedAt === null ? [] : ["(archived)"]),
    ...(deletedAt === null ? [] : ["(removed)"])
  ]
  return { ...record, label: marks.length === 0 ? null : marks.join(" ") }
}

const table = (runs: ReadonlyArray<ListedRun>, layout: Layout): string => RunTable.render(runs.map(withMarks), layout)

/** Runs that did not do all they planned stand apart: their figures are not to be compared with the others'. */
const render = (runs: ReadonlyArray<ListedRun>, input: RunsInput, layout: Layout): string => {
  if (runs.length === 0) return `no runs${input.all ? "" : "; --all lists archived and removed ones, too"}\n`
  const early = runs.filter(({ record }) => endedEarly(record))
  const others = runs.filter(({ record }) => !endedEarly(record))
  const newest = early.find(({ deletedAt }) => deletedAt === null)
  const next = newest === undefined ? null : nextStep(newest.record, input)
  return [
    ...(others.length > 0 || early.length === 0 ? [table(others, layout)] : []),
    ...(early.length > 0 ? [`${others.length > 0 ? "\n" : ""}ended early\n`, table(early, layout)] : []),
    ...(next === null ? [] : [`go on with: ${next}\n`]),
    ...runs.flatMap(({ parts, record }) => {
      const text = renderParts(record, parts ?? [], null, layout)
      return text === "" ? [] : [`\n${record.runId}${text}`]
    })
  ].join("")
}

const toJson = ({ archivedAt, deletedAt, notes, parts, record, tags }: ListedRun) => ({
  ...runToJson(record),
  resumable: endedEarly(record),
  notes,
  tags,
  archived_at: archivedAt,
  deleted_at: deletedAt,
  ...(parts === null ? {} : { parts: parts.map(partToJson) })
})

/** `arena runs`. */
export const listRuns = (input: RunsInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const project = yield* loadProject(input)
    const { reuse, shelf } = yield* readStores(project)
    const shelved = yield* shelf.list({
      project: project.name,
      limit: input.limit,
      includeArchived: input.all,
      includeDeleted: input.all
    })
    const runs = yield* Effect.forEach(shelved, (run) =>
      Effect.map(
        input.parts ? reuse.segments(run.record.runId) : Effect.succeed(null),
        (parts): ListedRun => ({ ...run, parts })
      )
    )
    yield* stdout.write(
      input.json
        ? `${stringify({ schema_version: 1, project: project.name, runs: runs.map(toJson) }, 2)}\n`
        : render(runs, input, { width: stdout.columns, style: stdout.style })
    )
  }).pipe(Effect.scoped, Effect.provide(engine))
