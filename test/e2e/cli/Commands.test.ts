import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, quick } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

describe("arena's commands", () => {
  it("init makes a project that runs at once, and refuses a folder that is not empty", async () => {
    const folder = join(make(), "my-task")
    const made = await arena(["init", folder])
    assert.strictEqual(made.code, 0)
    assert.match(made.stdout, /next:\n +arena run/)
    assert.match(readFileSync(join(folder, "config.yaml"), "utf8"), /^project: my-task$/m)
    assert.isTrue(existsSync(join(folder, ".arena/config.schema.json")))
    const run = await arena(["run", folder, "--quiet", "--json"])
    assert.strictEqual(run.code, 0)
    const { leaderboard } = JSON.parse(run.stdout)
    // Two of the six cases are billing, which is all that the baseline ever answers.
    assert.closeTo(leaderboard.entries[0].metrics.accuracy.raw, 2 / 6, 1e-9)
    const again = await arena(["init", folder])
    assert.strictEqual(again.code, 1)
    assert.include(again.stderr, "is not empty")
    assert.strictEqual((await arena(["init", folder, "--force", "--name", "it's: mine"])).code, 0)
    const validated = await arena(["validate", folder, "--json"])
    assert.deepInclude(JSON.parse(validated.stdout), { valid: true, project: "it's: mine" })
  })

  it("validate tells who would be skipped, and fails for it only when strict", async () => {
    const config = `${quick["config.yaml"]}`.replace("output:", "  - { key: hosted, model: gpt-5-mini }\noutput:")
    const folder = make({ ...quick, "config.yaml": config })
    const env = { OPENAI_API_KEY: "" }
    const lenient = await arena(["validate", folder], { env })
    assert.strictEqual(lenient.code, 0)
    assert.match(lenient.stdout, /! hosted {2}would be skipped: .*OPENAI_API_KEY/)
    const strict = await arena(["validate", folder, "--strict", "--json"], { env })
    assert.strictEqual(strict.code, 1)
    assert.deepInclude(JSON.parse(strict.stdout), { valid: false, planned: 6 })
  })

  it("run --dry-run shows the plan and runs nothing", async () => {
    const folder = make(quick)
    const dry = await arena(["run", folder, "--dry-run", "--trials", "4", "--cases", "a,b"])
    assert.strictEqual(dry.code, 0)
    assert.match(dry.stdout, /^quick {2}2 contestants × 2 cases × 4 trials = 16 cells\n/)
    assert.isFalse(existsSync(join(folder, "results")))
    const plan = JSON.parse((await arena(["run", folder, "--dry-run", "--json"])).stdout)
    assert.deepInclude(plan, { planned: 6, n_tests: 3 })
  })

  it("run takes lists with commas or repeated, and positional or named projects", async () => {
    const folder = make(quick)
    const planned = async (...flags: ReadonlyArray<string>) =>
      JSON.parse((await arena(["run", "--dry-run", "--json", ...flags])).stdout).planned
    assert.strictEqual(await planned(folder, "--ids", "a", "--ids", "b"), 4)
    assert.strictEqual(await planned("-p", folder, "--models", "right", "--tags", "easy"), 1)
    assert.strictEqual(await planned("--project", folder, "--exclude-tags", "easy", "--limit", "1"), 2)
    const twice = await arena(["run", folder, "-p", "elsewhere", "--dry-run"])
    assert.strictEqual(twice.code, 1)
    assert.include(twice.stderr, "two projects are named")
  })

  it("tests lists the cases, scorers the scorers", async () => {
    const folder = make(quick)
    const tests = JSON.parse((await arena(["tests", folder, "--json"])).stdout)
    assert.deepStrictEqual(
      tests.tests.map((one: { test_id: string }) => one.test_id),
      ["a", "b", "c"]
    )
    assert.match((await arena(["tests", folder, "--tags", "easy"])).stdout, /^a +exact_match +1 +easy +one$/m)
    const scorers = JSON.parse((await arena(["scorers", "--json"])).stdout)
    assert.include(
      scorers.scorers.map((one: { eval_type: string }) => one.eval_type),
      "classification"
    )
  })

  it("schema prints JSON Schemas that name every key of the template", async () => {
    const config = JSON.parse((await arena(["schema", "config"])).stdout)
    for (const key of ["models", "targets", "metrics", "constraints", "run", "tests"])
      assert.property(config.properties, key)
    assert.strictEqual(JSON.parse((await arena(["schema", "tests"])).stdout).$schema, config.$schema)
    assert.strictEqual((await arena(["schema", "other"])).code, 1)
  })

  it("report shows a stored run in every format, and says which runs there are when it knows none", async () => {
    const folder = make(quick)
    await arena(["run", folder, "--no-report", "--quiet"])
    const table = await arena(["report", folder])
    assert.match(table.stdout, /^quick {2}[\s\S]*Verdict: /)
    for (const [format, begins] of [
      ["markdown", "# quick"],
      ["csv", "model_key,"],
      ["html", "<!doctype html>"],
      ["junit", "<?xml"]
    ] as const) {
      assert.isTrue((await arena(["report", folder, "--format", format])).stdout.startsWith(begins), format)
    }
    const unknown = await arena(["report", folder, "--run", "run_nothing"])
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "arena runs lists them")
  })
})
