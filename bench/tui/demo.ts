/** The live screen on a simulated run, to look at: `node bench/tui/demo.ts [cases] [contestants] [trials] [events/s]`. */

import { runApp } from "@agent-arena/tui/dist/app/main.js"
import * as Effect from "effect/Effect"
import { simulatedSource } from "../../test/tui/app/simulation/SimulatedSource.ts"

const [cases = 50, contestants = 4, trials = 3, perSecond = 40] = process.argv.slice(2).map(Number)
const source = simulatedSource({
  cases,
  contestants,
  trials,
  perSecond,
  seed: 1,
  concurrency: 16,
  stepMs: 20,
  startedAt: Date.now()
})
const code = await Effect.runPromise(
  Effect.scoped(runApp({ source, stdin: process.stdin, stdout: process.stdout, env: process.env }))
)
process.exit(code)
