/** `projects/local_models` with the command, once with a server on its address and once without. */
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { build, folders, root } from "../cli/arena.ts"
import { casesOf, entryOf, runProject } from "./ExampleRun.ts"

const source = join(root, "projects/local_models")
const { clean, make } = folders()
const started: Array<ChildProcess> = []
beforeAll(build)
afterAll(() => {
  for (const child of started) child.kill()
  clean()
})

/** The stand-in on a free port; resolves with the address that it prints. */
const startStandIn = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(source, "standInServer.ts"), "0"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    started.push(child)
    child.once("close", () => reject(new Error("the stand-in ended")))
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text
      const url = /http:\/\/\S+/.exec(printed)?.[0]
      if (url !== undefined) resolve(url)
    })
  })

/** An address on which nobody listens any more. */
const deadAddress = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resolve(`http://127.0.0.1:${port}/v1`))
    })
  })

/** The project as it is, but for the address of its server. */
const projectAt = (url: string): string => {
  const folder = make()
  cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith("results") })
  const config = join(folder, "config.yaml")
  writeFileSync(config, readFileSync(config, "utf8").replace("http://localhost:11434/v1", url))
  return folder
}

const models = ["gemma3", "llama3", "qwen3"]
const cases = casesOf("local_models")

describe("projects/local_models", () => {
  it("compares the models of the server with the word list, tokens counted and costs unknown", async () => {
    const { report } = await runProject(projectAt(await startStandIn()), make(), ["--no-report"])
    assert.deepInclude(report, { status: "completed", planned: 4 * 2 * cases.length, errors: 0, total_cost_usd: null })
    assert.deepStrictEqual(report.skipped_models, {})
    for (const key of models) {
      const { metrics, stats, status } = entryOf(report, key)
      assert.strictEqual(status, "ranked")
      assert.strictEqual(stats["total_completion_tokens"], 2 * 2 * cases.length)
      assert.isNull(metrics["cost"]?.raw ?? null)
    }
    const accuracy = (key: string) => entryOf(report, key).metrics["accuracy"]?.raw ?? -1
    assert.strictEqual(accuracy("qwen3"), 1)
    assert.isBelow(accuracy("word_list"), 1)
  })

  it("runs the word list alone without a server, and says what would start one", async () => {
    const url = await deadAddress()
    const { report, stderr } = await runProject(projectAt(url), make(), ["--no-report"])
    assert.sameMembers(Object.keys(report.skipped_models), models)
    for (const key of models) {
      assert.include(report.skipped_models[key], `${url} is not reachable`)
      assert.include(report.skipped_models[key], "ollama serve")
      assert.strictEqual(entryOf(report, key).status, "no_data")
      assert.match(stderr, new RegExp(`skipping ${key}: .*is not reachable`))
    }
    assert.deepInclude({ ...entryOf(report, "word_list") }, { status: "ranked", rank: 1 })
    assert.isNull(report.winner)
  })
})
