/** Cells a second of the real engine with a simulated provider: alone, under the progress of `arena run`, behind the screen. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Connectors from "@agent-arena/connectors/Connectors"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { ansi } from "@agent-arena/core/report/Style"
import { coreArena } from "@agent-arena/tui/dist/app/arena/CoreArena.js"
import { runApp } from "@agent-arena/tui/dist/app/main.js"
import { show } from "@agent-arena/tui/dist/progress/Progress.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeSink } from "./Sink.ts"

const cases = 10_000
const trials = 5
const contestants = 4

const config = [
  "project: screen_bench",
  "models:",
  ...Array.from(
    { length: contestants },
    (_, index) =>
      `  - { key: m${index}, model: "mock:m${index}", params: { accuracy: ${90 - index * 5}, mode: flaky } }`
  ),
  "run: { trials: 5, concurrency: 64 }",
  "statistics: { enabled: false }",
  ""
].join("\n")

const tests = Array.from(
  { length: cases },
  (_, index) => `- { id: c${index}, prompt: "case ${index}", reference: "answer ${index}" }`
).join("\n")

const engine = Layer.mergeAll(Arena.layer, Connectors.layer)
const env = { TERM: "xterm-256color", LANG: "en_US.UTF-8" }

const withProject = async <A>(use: (path: string) => Promise<A>): Promise<A> => {
  const path = mkdtempSync(join(tmpdir(), "screen-bench-"))
  writeFileSync(join(path, "config.yaml"), config)
  writeFileSync(join(path, "tests.yaml"), `${tests}\n`)
  try {
    return await use(path)
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

/** What a run took: s of wall clock, and s of processor time of the whole process. */
interface Taken {
  readonly wall: number
  readonly cpu: number
}

const stopwatch = () => {
  const [wall, cpu] = [performance.now(), process.cpuUsage()]
  return (): Taken => {
    const used = process.cpuUsage(cpu)
    return { wall: (performance.now() - wall) / 1000, cpu: (used.user + used.system) / 1e6 }
  }
}

/** Takes every byte at once, as a terminal does that is fast enough. */
const terminal = { isTerminal: true, columns: 120, rows: 40, style: ansi, write: () => Effect.void }

/** The run as `arena run` does it, with its progress or without. */
const headless =
  (mode: "bar" | "none") =>
  (path: string): Promise<Taken> =>
    Effect.runPromise(
      Effect.gen(function* () {
        const project = yield* Project.load(path)
        const handle = yield* Arena.start(project)
        const taken = stopwatch()
        yield* Effect.scoped(Effect.andThen(show(handle, project, terminal, mode), handle.result))
        return taken()
      }).pipe(Effect.scoped, Effect.provide(engine))
    )

/** The same run behind the screen, from its start to its last event. */
const withScreen = (path: string): Promise<Taken> => {
  const { stdin, stdout } = makeSink(120, 40)
  const program = Effect.gen(function* () {
    const ended = yield* Deferred.make<Taken>()
    const arena = yield* coreArena({ path })
    const timed: typeof arena = {
      ...arena,
      start: (choice) =>
        Effect.map(arena.start(choice), (source) => {
          const taken = stopwatch()
          const end = Effect.suspend(() => Deferred.succeed(ended, taken()))
          return { ...source, leaderboard: Effect.tap(source.leaderboard, () => end) }
        })
    }
    yield* Effect.forkScoped(runApp({ arena: timed, stdin, stdout, stderr: process.stderr, env }))
    yield* Effect.promise(() => pause(2500))
    stdin.push("\r")
    return yield* Deferred.await(ended)
  })
  return Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(engine)))
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * The best of some rounds, taken in turn: whatever else the machine does makes a round slower and none faster, so that the
 * best one says most about the program.
 */
export const withAndWithoutScreen = async (rounds = 3) => {
  const bare: Array<Taken> = []
  const inline: Array<Taken> = []
  const full: Array<Taken> = []
  for (let round = 0; round <= rounds; round++) {
    const three = [
      await withProject(headless("none")),
      await withProject(headless("bar")),
      await withProject(withScreen)
    ] as const
    // The first round is for the compiler.
    if (round === 0) continue
    bare.push(three[0])
    inline.push(three[1])
    full.push(three[2])
  }
  const cells = cases * contestants * trials
  const rate = (taken: ReadonlyArray<Taken>, by: keyof Taken) =>
    Math.round(cells / Math.min(...taken.map((one) => one[by])))
  const against = (shown: ReadonlyArray<Taken>) => {
    const share = (by: keyof Taken) => Math.round((rate(shown, by) / rate(bare, by)) * 1000) / 1000
    return { cellsPerSecond: rate(shown, "wall"), shareByWallClock: share("wall"), shareByProcessorTime: share("cpu") }
  }
  return { cells, headlessCellsPerSecond: rate(bare, "wall"), inline: against(inline), screen: against(full) }
}
