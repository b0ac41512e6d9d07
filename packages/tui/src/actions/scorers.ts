import type { Scorer } from "@agent-arena/core/domain/Scorer"
import { loadModule } from "@agent-arena/core/project/ProjectModule"
import { stringify } from "@agent-arena/core/report/JsonText"
import { lines } from "@agent-arena/core/report/TextTable"
import { builtinScorers } from "@agent-arena/core/scoring/BuiltinScorers"
import * as ScorerRegistry from "@agent-arena/core/scoring/ScorerRegistry"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ScorersInput } from "../commands/scorers.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"

/** The built-in scorers; with a project its own as well, which means running its modules. */
const scorersOf = Effect.fnUntraced(function* (input: ScorersInput) {
  if (Option.isNone(input.project) && Option.isNone(input.projectFlag)) return builtinScorers
  const { customScorers, root, scorers: settings } = yield* loadProject(input)
  const importModule = (file: string) => Effect.map(loadModule(root, file), ({ exports }) => exports)
  const registry = yield* ScorerRegistry.make({ root, settings, customScorers, importModule })
  return registry.scorers
})

const toJson = ({ description, name, requiresReference, source }: Scorer) => ({
  eval_type: name,
  source,
  requires_reference: requiresReference,
  description
})

/** `arena scorers`. */
export const listScorers = (input: ScorersInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const scorers = yield* scorersOf(input)
    if (input.json) {
      return yield* stdout.write(`${stringify({ schema_version: 1, scorers: scorers.map(toJson) }, 2)}\n`)
    }
    const { style } = stdout
    const table = lines(
      [{ heading: "scorer" }, { heading: "source", min: 8, drop: 1 }, { heading: "description", min: 20 }],
      scorers.map(({ description, name, source }) => [
        { text: name, emphasis: style.accent },
        { text: source, emphasis: style.dim },
        description
      ]),
      { width: stdout.columns, style }
    )
    yield* stdout.write(`${table.join("\n")}\n`)
  }).pipe(Effect.provide(engine))
