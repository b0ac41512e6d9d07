/** The example project `projects/local_models`, run as a person would, with and without its stand-in server. */
import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { layer } from "@agent-arena/connectors/Connectors"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import * as TemporaryFolder from "../support/TemporaryFolder.ts"

const source = path.join(import.meta.dirname, "../../../projects/local_models")

/** The stand-in as a process of its own, and the address that it prints. */
const startStandIn = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
    const child = spawn(process.execPath, [path.join(source, "standInServer.ts"), "0"], { stdio: "pipe" })
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const url = /http:\/\/\S+/.exec(text)?.[0]
      if (url !== undefined) resume(Effect.succeed({ url, stop: () => child.kill() }))
    })
  }),
  (server) => Effect.sync(server.stop)
)

/** The project with its server at another address. */
const projectAt = (url: string) =>
  Effect.gen(function* () {
    const files: Record<string, string> = {}
    for (const name of ["config.yaml", "tests.yaml", "wordList.ts"]) {
      files[name] = yield* Effect.promise(() => fs.readFile(path.join(source, name), "utf8"))
    }
    const config = files["config.yaml"]?.replace("http://localhost:11434/v1", url) ?? ""
    return yield* Project.load(yield* TemporaryFolder.make({ ...files, "config.yaml": config }))
  })

const reportAt = (url: string) =>
  Effect.gen(function* () {
    const run = yield* Arena.start(yield* projectAt(url))
    return yield* run.result
  }).pipe(Effect.provide(Layer.mergeAll(Arena.layerMemory, layer)))

it.live("compares the models of a server with the word list", () =>
  Effect.gen(function* () {
    const { url } = yield* startStandIn
    const { leaderboard, run } = yield* reportAt(url)
    expect(run.status).toBe("completed")
    const accuracy = Object.fromEntries(leaderboard.entries.map((one) => [one.key, one.metrics["accuracy"]?.raw]))
    expect(accuracy).toMatchObject({ qwen3: 1, word_list: 0.75 })
    const best = leaderboard.entries[0]
    expect(best).toMatchObject({ key: "qwen3", model: "qwen3:8b", stats: { completed: 24, errors: 0 } })
    expect(best?.stats.totalCompletionTokens).toBe(48)
  }).pipe(Effect.scoped)
)

it.live("runs without a server: its models are skipped, and the reason says what to do", () =>
  Effect.gen(function* () {
    const url = yield* Effect.scoped(
      Effect.map(
        LoopbackServer.start(() => undefined),
        (server) => `${server.url}/v1`
      )
    )
    const { leaderboard, rules } = yield* reportAt(url)
    expect(leaderboard.entries.filter((one) => one.status === "no_data").map((one) => one.key)).toEqual([
      "gemma3",
      "llama3",
      "qwen3"
    ])
    for (const contestant of rules.contestants.filter((one) => one.key !== "word_list")) {
      expect(contestant.skipped).toContain(`${url} is not reachable`)
      expect(contestant.skipped).toContain("start it with `ollama serve`")
    }
    expect(leaderboard.entries[0]).toMatchObject({ key: "word_list", status: "ranked" })
  }).pipe(Effect.scoped)
)
