import { runToJson } from "@agent-arena/core/report/JsonReport"
import { stringify } from "@agent-arena/core/report/JsonText"
import * as RunTable from "@agent-arena/core/report/RunTable"
import * as Effect from "effect/Effect"
import type { RunsInput } from "../commands/runs.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"
import { openStore } from "./stores.ts"

/** `arena runs`. */
export const listRuns = (input: RunsInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const project = yield* loadProject(input)
    const store = yield* openStore(project)
    const runs = yield* store.runs({
      project: project.name,
      limit: input.limit,
      includeArchived: input.all,
      includeDeleted: input.all
    })
    yield* stdout.write(
      input.json
        ? `${stringify({ schema_version: 1, project: project.name, runs: runs.map(runToJson) }, 2)}\n`
        : RunTable.render(runs, { width: stdout.columns, style: stdout.style })
    )
  }).pipe(Effect.scoped, Effect.provide(engine))
