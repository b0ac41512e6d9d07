import { spawn } from "node:child_process"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bin, build, folders, root, start } from "../cli/arena.ts"
import { isWhole, runRows } from "./Database.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

/** More events than a pipe and its buffers take. */
const cases = 4_000

const project = (latencyMs: number) =>
  make({
    "config.yaml": `project: many
models:
  - { key: m, model: "mock:m", params: { latency_ms: ${latencyMs}, sleep: true } }
run: { concurrency: 200, term_drain_s: 0.5 }
`,
    "tests.jsonl": Array.from({ length: cases }, (_, index) =>
      JSON.stringify({ id: `c${index}`, input: "q", expected: "a" })
    ).join("\n")
  })

const rowOf = (folder: string) => runRows(join(folder, "results", "arena.sqlite"))[0]
const args = (folder: string) => ["run", folder, "--no-report", "--quiet", "--events", "-"]

describe("a reader of events", () => {
  it("that leaves in the middle does not stop the run", async () => {
    const folder = project(5)
    const running = start(args(folder))
    await running.saw("CellFinished")
    running.child.stdout?.destroy()
    const { code, stderr } = await running.ended
    assert.strictEqual(code, 0, stderr)
    assert.deepInclude(rowOf(folder), { status: "completed", finished: cases })
  })

  it("that does not read holds up neither the run nor the end that TERM asks for", async () => {
    const folder = project(0)
    const child = spawn(process.execPath, [bin, ...args(folder)], { cwd: root, stdio: ["ignore", "pipe", "ignore"] })
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    const isOver = () => {
      try {
        return rowOf(folder)?.status === "completed"
      } catch {
        return false
      }
    }
    while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 50))
    const at = performance.now()
    child.kill("SIGTERM")
    const code = await ended
    assert.isBelow(performance.now() - at, 10_000)
    assert.include([0, 124], code)
    const row = rowOf(folder)
    assert.isTrue(row !== undefined && isWhole(row))
    assert.deepInclude(row, { status: "completed", finished: cases })
  })
})
