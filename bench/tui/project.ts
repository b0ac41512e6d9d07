/** The program on a real project, from its folder: `node bench/tui/project.ts PROJECT [trials]`. */
import * as Connectors from "@agent-arena/connectors/Connectors"
import { Arena } from "@agent-arena/core/engine/Arena"
import { coreArena } from "@agent-arena/tui/dist/app/arena/CoreArena.js"
import { runApp } from "@agent-arena/tui/dist/app/main.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const [path = "projects/quickstart", trials] = process.argv.slice(2)
const { stdin, stdout, stderr, env } = process
const program = Effect.gen(function* () {
  const arena = yield* coreArena({ path, overrides: trials === undefined ? {} : { trials: Number(trials) } })
  return yield* runApp({ arena, stdin, stdout, stderr, env })
}).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(Arena.layer, Connectors.layer)))
process.exit(await Effect.runPromise(program))
