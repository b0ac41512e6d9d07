import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, quick } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

/** A run beside the project's own place that ended early, and the words that say where it is. */
const runElsewhere = async () => {
  const folder = make(quick)
  const place = ["--output-dir", join(make(), "out")]
  const run = await arena(["run", folder, "--quiet", "--json", "--max-wall-s", "0.001", "--concurrency", "1", ...place])
  return { folder, place, runId: String(JSON.parse(run.stdout).run_id) }
}

describe("runs at a place of their own", () => {
  it("are found by every command that is told the folder", async () => {
    const { folder, place, runId } = await runElsewhere()
    const document = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await arena([...args, ...place, "--json"])
      assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}${stdout}`)
      return JSON.parse(stdout)
    }
    const listed = await document("runs", folder, "--all")
    assert.deepStrictEqual(
      listed.runs.map((run: { run_id: string }) => run.run_id),
      [runId]
    )
    assert.strictEqual((await document("report", folder)).run_id, runId)
    assert.strictEqual((await document("stop", folder, runId)).action, "none")
    assert.strictEqual((await document("label", folder, "latest", "--label", "mine")).run_id, runId)
    assert.strictEqual((await document("archive", folder, runId)).archived, true)
    assert.strictEqual((await document("rm", folder, runId)).action, "removed")
    assert.strictEqual((await document("restore", folder, "latest")).run_id, runId)
    assert.strictEqual((await document("resume", folder, runId, "--quiet", "--max-wall-s", "0")).status, "completed")
    assert.strictEqual((await document("retry", folder, runId, "--cases", "a", "--quiet")).run_id, runId)
    const file = join(make(), "run.jsonl")
    assert.strictEqual((await document("export", folder, "--format", "run", "--out", file)).run_id, runId)
    assert.strictEqual((await document("rm", folder, runId, "--hard", "--yes")).action, "deleted")
    assert.strictEqual((await document("import", file, "-p", folder)).run_id, runId)
    assert.strictEqual((await document("vacuum", folder, "--yes")).action, "deleted")
    assert.isFalse(existsSync(join(folder, "results/arena.sqlite")), "the project's own place was left alone")
  })

  it("are named with their place in what to type next", async () => {
    const { folder, place, runId } = await runElsewhere()
    const listed = await arena(["runs", folder, ...place])
    assert.include(listed.stdout, `arena resume ${folder} ${runId} ${place.join(" ")}`)
    const missing = await arena(["runs", folder])
    assert.strictEqual(missing.code, 1)
    assert.include(missing.stderr, "has no runs yet")
  })
})
