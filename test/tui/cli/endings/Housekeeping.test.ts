import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { answering, arena, cases, document, folders } from "./arena.ts"

const { clean, make } = folders()
afterAll(clean)

const config = `# what it is for
project: tidy # its name
models: [{ key: right, model: "mock:right", params: { mode: oracle } }]
output: { formats: [markdown] }
`
const project = () => make({ "config.yaml": config, "tests.yaml": cases(3) })
const run = async (folder: string): Promise<string> => (await document("run", folder, "--quiet")).run_id
const listed = async (folder: string, ...flags: ReadonlyArray<string>) =>
  (await document("runs", folder, ...flags)).runs

describe("runs are kept in order", () => {
  it("with labels, notes and tags that an empty text takes away", async () => {
    const folder = project()
    const id = await run(folder)
    await document("label", folder, "latest", "--label", "before", "--notes", "old prompt", "--tags", "a,b")
    assert.deepInclude((await listed(folder))[0], { label: "before", notes: "old prompt", tags: ["a", "b"] })
    assert.include((await arena("runs", folder)).stdout, "before [a, b]")
    await document("label", folder, id, "--label", "")
    assert.deepInclude((await listed(folder))[0], { label: null, notes: "old prompt" })
    assert.include((await arena("label", folder, "latest")).stderr, "give --label, --notes or --tags")
    assert.include((await arena("label", folder, "--label", "x")).stderr, "no run is named")
  })

  it("archived runs are listed only with --all, until that is undone", async () => {
    const folder = project()
    const id = await run(folder)
    const archived = await arena("archive", folder, id)
    assert.include(archived.stdout, `Undo: arena archive ${folder} ${id} --undo`)
    assert.lengthOf(await listed(folder), 0)
    assert.isString((await listed(folder, "--all"))[0].archived_at)
    await document("archive", folder, id, "--undo")
    assert.lengthOf(await listed(folder), 1)
  })

  it("a removed run comes back whole, and its report files were never touched", async () => {
    const folder = project()
    const id = await run(folder)
    const removed = await arena("rm", folder, "latest")
    assert.include(removed.stdout, `removed ${id} (3 results). Undo: arena restore ${folder} ${id}`)
    assert.lengthOf(await listed(folder), 0)
    assert.isTrue(existsSync(join(folder, "results", id, "report.md")))
    assert.include((await arena("rm", folder, "latest")).stderr, "tidy has no runs")
    await document("restore", folder, "latest")
    assert.deepInclude((await listed(folder))[0], { run_id: id, finished: 3 })
  })

  it("nothing is deleted for good without a yes, and then the report files go, too", async () => {
    const folder = project()
    const id = await run(folder)
    const asked = await arena("rm", folder, id, "--hard")
    assert.strictEqual(asked.code, 1)
    assert.include(asked.stderr, `this deletes 1 run (${id}) with 3 results and 1 folder of reports for good\n--yes`)
    const dry = await document("rm", folder, id, "--hard", "--dry-run")
    assert.deepInclude(dry, { action: "none", run_ids: [id], results: 3 })
    assert.lengthOf(await listed(folder), 1)
    await document("rm", folder, id, "--hard", "--yes")
    assert.lengthOf(await listed(folder, "--all"), 0)
    assert.isFalse(existsSync(join(folder, "results", id)))
  })

  it("the folders of turns go with the run they belong to, and those of others stay", async () => {
    const folder = project()
    const [gone, kept] = [await run(folder), await run(folder)]
    const turns = (id: string) => join(folder, "results", "workspaces", id, "capital", "right", "rep_1", "turn_0")
    for (const id of [gone, kept]) mkdirSync(turns(id), { recursive: true })
    const asked = await arena("rm", folder, gone, "--hard")
    assert.include(asked.stderr, "and 1 folder of reports and 1 folder of turns for good")
    await document("rm", folder, gone, "--hard", "--yes")
    assert.deepStrictEqual([existsSync(turns(gone)), existsSync(turns(kept))], [false, true])
  })

  it("a person at a terminal is asked, and can say no", async () => {
    const folder = project()
    const id = await run(folder)
    const no = await answering("n", "rm", folder, id, "--hard")
    assert.strictEqual(no.code, 1)
    assert.include(no.stdout, "results and 1 folder of reports for good. Delete?")
    assert.include(no.stderr, "not confirmed; nothing was done\nwithout --hard the run is only hidden")
    assert.lengthOf(await listed(folder), 1)
    const yes = await answering("y", "rm", folder, id, "--hard")
    assert.strictEqual(yes.code, 0)
    assert.include(yes.stdout, "deleted 1 run")
    assert.lengthOf(await listed(folder, "--all"), 0)
    assert.strictEqual((await answering("y", "rm", folder, id, "--hard", "--json")).code, 1)
  })

  it("are named by project and run, in whatever way both can be said", async () => {
    const folder = project()
    const id = await run(folder)
    for (const words of [
      [folder, id],
      [folder, "latest"],
      ["-p", folder, id],
      [folder, "-p", folder, id]
    ]) {
      await document("label", ...words, "--label", "x")
    }
    assert.include((await arena("label", id, "--label", "x")).stderr, "is not a project")
    assert.include((await arena("label", folder, "run_unknown", "--label", "x")).stderr, "there is no run run_unknown")
    assert.include((await arena("label", folder, "", "--label", "x")).stderr, "there is no run")
  })

  it("vacuum deletes removed runs and nothing else", async () => {
    const folder = project()
    const kept = await run(folder)
    const gone = await run(folder)
    await document("rm", folder, gone)
    assert.strictEqual((await arena("vacuum", folder)).code, 1)
    assert.deepInclude(await document("vacuum", folder, "--dry-run"), { run_ids: [gone], results: 3 })
    await document("vacuum", folder, "--yes")
    assert.deepStrictEqual(
      (await listed(folder, "--all")).map(({ run_id }: { run_id: string }) => run_id),
      [kept]
    )
    const again = await arena("vacuum", folder)
    assert.strictEqual(again.code, 0)
    assert.include(again.stdout, "no removed runs to delete")
  })
})

describe("arena duplicate", () => {
  it("copies what a project is, not what it has done, and keeps its comments", async () => {
    const folder = project()
    await run(folder)
    mkdirSync(join(folder, ".git"))
    writeFileSync(join(folder, "notes.txt"), "kept")
    const target = join(make(), "copy")
    await document("duplicate", folder, target, "--name", "it's: new")
    assert.strictEqual(
      readFileSync(join(target, "config.yaml"), "utf8"),
      config.replace("project: tidy", `project: "it's: new"`)
    )
    assert.isTrue(existsSync(join(target, "notes.txt")))
    for (const name of ["results", ".git"]) assert.isFalse(existsSync(join(target, name)), name)
    assert.strictEqual((await document("run", target, "--quiet")).project, "it's: new")
    assert.include((await arena("duplicate", folder, target)).stderr, "exists already")
    assert.include((await arena("duplicate", folder, join(folder, "inside"))).stderr, "inside the project")
  })

  it("names a project that had no name of its own, in JSON, too", async () => {
    const folder = make({
      "config.json": JSON.stringify({ models: [{ model: "mock:right", params: { mode: "oracle" } }] }),
      "tests.yaml": cases(1)
    })
    const target = join(make(), "second")
    await document("duplicate", folder, target)
    assert.deepInclude(JSON.parse(readFileSync(join(target, "config.json"), "utf8")), { project: "second" })
  })
})

describe("arena cache", () => {
  it("lists, prunes and clears the answers that are kept", async () => {
    const folder = project()
    const none = await document("cache", "ls", folder)
    assert.deepStrictEqual(none.answers, [])
    assert.isFalse(existsSync(join(folder, "results")))
    await document("run", folder, "--cache", "--quiet")
    const kept = await document("cache", "ls", folder)
    assert.lengthOf(kept.answers, 3)
    assert.deepInclude(kept.answers[0], { contestant: "right", model: "mock:right" })
    assert.deepInclude(await document("cache", "prune", folder), { action: "none", answers: 0, kept: 3 })
    assert.match((await arena("cache", "clear", folder)).stderr, /this deletes 3 answers, .* of .*cache\n--yes/)
    assert.deepInclude(await document("cache", "prune", folder, "--older-than", "-1", "--dry-run"), { answers: 3 })
    await document("cache", "clear", folder, "--yes")
    assert.lengthOf((await document("cache", "ls", folder)).answers, 0)
  })

  it("is found where a flag puts it", async () => {
    const folder = project()
    const elsewhere = join(make(), "kept")
    await document("run", folder, `--cache=${elsewhere}`, "--quiet")
    assert.lengthOf((await document("cache", "ls", folder, "--dir", elsewhere)).answers, 3)
    assert.lengthOf((await document("cache", "ls", folder)).answers, 0)
  })
})
