import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, quick } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

/** A run in a database that the project does not name. */
const elsewhere = async () => {
  const folder = make(quick)
  const db = join(make(), "elsewhere.db")
  const run = await arena(["run", folder, "--db", db, "--quiet", "--json", "--no-report"])
  assert.strictEqual(run.code, 0, `${run.stdout}${run.stderr}`)
  const id: string = JSON.parse(run.stdout).run_id
  return { folder, db, id }
}

const json = async (args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await arena([...args, "--json"])
  assert.strictEqual(code, 0, `${args.join(" ")}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

describe("--db", () => {
  it("is where every reader looks for runs", async () => {
    const { db, folder, id } = await elsewhere()
    const place = [folder, "--db", db]
    assert.strictEqual((await json(["runs", ...place])).runs[0].run_id, id)
    assert.strictEqual((await json(["report", ...place])).run_id, id)
    assert.strictEqual((await json(["export", ...place])).run_id, id)
    assert.strictEqual((await json(["scenario", "paths", ...place])).run_id, id)
    const stopped = await json(["stop", folder, id, "--db", db])
    assert.deepInclude(stopped, { action: "none" })
    const without = await arena(["runs", folder])
    assert.strictEqual(without.code, 1)
    assert.include(without.stderr, "has no runs yet")
    assert.isFalse(existsSync(join(folder, "results")), "nothing is made where the project has its own")
  })

  it("is where every manager of runs works", async () => {
    const { db, folder, id } = await elsewhere()
    const place = [folder, id, "--db", db]
    assert.deepInclude(await json(["label", ...place, "--label", "mine"]), { run_id: id, label: "mine" })
    assert.deepInclude(await json(["archive", ...place]), { archived: true })
    const removed = await arena(["rm", ...place])
    assert.strictEqual(removed.code, 0)
    assert.include(removed.stdout, `arena restore ${folder} ${id} --db ${db}`)
    assert.deepInclude(await json(["restore", ...place]), { action: "restored" })
    assert.deepInclude(await json(["resume", ...place, "--no-report"]), { schema_version: 1 })
    assert.deepInclude(await json(["retry", ...place, "--no-report"]), { schema_version: 1 })
    assert.deepInclude(await json(["vacuum", folder, "--db", db]), { action: "deleted" })
  })

  it("is where a run is taken in", async () => {
    const { db, folder, id } = await elsewhere()
    const file = join(make(), "run.jsonl")
    assert.strictEqual((await arena(["export", folder, "--db", db, "--format", "run", "-o", file])).code, 0)
    const other = join(make(), "other.db")
    assert.deepInclude(await json(["import", file, "-p", folder, "--db", other]), { run_id: id })
    assert.strictEqual((await json(["runs", folder, "--db", other])).runs[0].run_id, id)
  })
})
