/** The program on simulated runs, to look at: `node bench/tui/demo.ts [cases] [contestants] [trials] [events/s]`. */
import { runApp } from "@agent-arena/tui/dist/app/main.js"
import * as Effect from "effect/Effect"
import { simulatedArena } from "../../test/tui/app/simulation/SimulatedArena.ts"

const [cases = 50, contestants = 4, trials = 3, perSecond = 40] = process.argv.slice(2).map(Number)
const { stdin, stdout, stderr, env } = process
const arena = simulatedArena({
  cases,
  contestants,
  trials,
  perSecond,
  seed: 1,
  concurrency: 16,
  stepMs: 20,
  startedAt: Date.now()
})
process.exit(await Effect.runPromise(runApp({ arena, stdin, stdout, stderr, env })))
