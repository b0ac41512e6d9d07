import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, bin, build, folders, quick, start } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

describe("what arena writes where", () => {
  it("prints help on stdout when asked, and on stderr after a mistake", async () => {
    const asked = await arena(["--help"])
    assert.deepInclude(asked, { code: 0, stderr: "" })
    for (const command of [
      "run",
      "tui",
      "init",
      "validate",
      "tests",
      "scorers",
      "models",
      "schema",
      "runs",
      "report"
    ]) {
      assert.match(asked.stdout, new RegExp(`^ {2}${command}\\b`, "m"))
    }
    const mistake = await arena(["rum"])
    assert.deepInclude(mistake, { code: 1, stdout: "" })
    assert.match(
      mistake.stderr,
      /^error Unknown subcommand "rum"[\s\S]*Did you mean this\?\s+run[\s\S]*^arena --help says more$/m
    )
    const flag = await arena(["run", "--trails", "3"])
    assert.deepInclude(flag, { code: 1, stdout: "" })
    assert.match(flag.stderr, /--trails[\s\S]*Did you mean this\?\s+--trials[\s\S]*^usage: arena run /m)
    assert.notMatch(flag.stderr, /DESCRIPTION/)
    assert.deepInclude(await arena([]), { code: 1, stdout: "" })
  })

  it("prints the table on stdout, progress and files on stderr", async () => {
    const folder = make(quick)
    const run = await arena(["run", folder])
    assert.strictEqual(run.code, 0)
    assert.match(run.stdout, /^quick {2}2 contestants × 3 cases × 1 trial = 6 cells/)
    assert.match(run.stdout, /^1 {2}right .* winner$/m)
    assert.match(run.stdout, /\nVerdict: .*\n$/)
    assert.match(run.stderr, /results in .*arena\.sqlite\n(written .*\n){5}$/)
  })

  it("says on stderr what is strange about the project before it runs", async () => {
    const config = `${quick["config.yaml"]}metrics: { weights: { accuarcy: 1, latency: 1 } }\n`
    const { code, stderr } = await arena(["run", make({ ...quick, "config.yaml": config }), "--dry-run"])
    assert.strictEqual(code, 0)
    assert.match(stderr, /^! .*config\.yaml:\d+:\d+ metrics\.weights: "accuarcy" .*\(did you mean "accuracy"\?\)\n$/)
  })

  it("says nothing on stderr with --quiet", async () => {
    assert.deepInclude(await arena(["run", make(quick), "--quiet"]), { code: 0, stderr: "" })
  })

  it("writes the files of the run, whole", async () => {
    const folder = make(quick)
    const { stderr } = await arena(["run", "-p", folder])
    const files = [...stderr.matchAll(/^written (.*)$/gm)].map(([, file = ""]) => readFileSync(file, "utf8"))
    const [markdown = "", json = "", csv = "", html = "", junit = ""] = files
    assert.match(markdown, /^# quick\n[\s\S]*\| wrong \| a \| 0\.000 \| no \\\| idea \|/)
    assert.strictEqual(JSON.parse(json).results.length, 6)
    assert.strictEqual(csv.trim().split("\n").length, 7)
    assert.match(html, /^<!doctype html>[\s\S]*<\/html>\n$/)
    assert.match(junit, /<testsuites name="quick" tests="6" failures="3" errors="0" skipped="0"/)
  })

  it("prints one JSON document with --json, the same as the file and as `report --json`", async () => {
    const folder = make(quick)
    const run = await arena(["run", folder, "--json"])
    const printed = JSON.parse(run.stdout)
    const kept = JSON.parse(readFileSync(join(folder, "results", printed.run_id, "results.json"), "utf8"))
    const { stdout } = await arena(["report", folder, "--run", printed.run_id, "--json"])
    const again = JSON.parse(stdout)
    assert.deepStrictEqual(kept, printed)
    assert.deepStrictEqual({ ...again, generated_at: "" }, { ...printed, generated_at: "" })
    const listed = JSON.parse((await arena(["runs", folder, "--json"])).stdout)
    assert.deepInclude(listed.runs[0], { run_id: printed.run_id, status: "completed", winner: "right" })
  })

  it("prints one JSON document with --json when it fails, too", async () => {
    const folder = make({ ...quick, "config.yaml": `${quick["config.yaml"]}constraint: {}\n` })
    const broken = await arena(["run", folder, "--json"])
    assert.strictEqual(broken.code, 1)
    const { error, schema_version } = JSON.parse(broken.stdout)
    assert.strictEqual(schema_version, 1)
    assert.deepInclude(error, { kind: "project" })
    assert.deepInclude(error.issues[0], { line: 6, column: 1, suggestion: 'did you mean "constraints"?' })
    assert.match(broken.stderr, /config\.yaml:6:1 +unknown key "constraint" \(did you mean "constraints"\?\)/)
    const usage = await arena(["run", "--json", "--trials", "many"])
    assert.deepInclude(JSON.parse(usage.stdout).error, { kind: "usage" })
    const missing = await arena(["report", make(quick), "--json"])
    assert.deepInclude(JSON.parse(missing.stdout).error, { kind: "not_found" })
  })

  it("writes events as NDJSON to a file, or to stdout with the table on stderr", async () => {
    const folder = make(quick)
    const file = join(folder, "events.ndjson")
    await arena(["run", folder, "--events", file, "--no-report"])
    const inFile = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      inFile.map(({ seq }) => seq),
      inFile.map((_, index) => index + 1)
    )
    assert.strictEqual(inFile.filter(({ _tag }) => _tag === "CellFinished").length, 6)
    const piped = await arena(["run", folder, "--events", "-", "--no-report"])
    const events = piped.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)._tag)
    assert.strictEqual(events[0], "RunStarted")
    assert.strictEqual(events.at(-1), "RunFinished")
    assert.include(piped.stderr, "Verdict:")
    assert.strictEqual((await arena(["run", folder, "--events", "-", "--json"])).code, 1)
  })

  it("prints the result, and fails, when the events cannot be written", async () => {
    const folder = make(quick)
    const { code, stderr, stdout } = await arena(["run", folder, "--json", "--quiet", "--events", "/dev/full"])
    assert.strictEqual(code, 1)
    assert.strictEqual(JSON.parse(stdout).status, "completed")
    assert.match(stderr, /error not all events were written to \/dev\/full: .*no space left/)
  })

  it("has colour only where it is wanted", async () => {
    const folder = make(quick)
    const styled = async (flags: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
      (await arena(["tests", folder, ...flags], { env })).stdout.includes("\u001b[")
    assert.isFalse(await styled([]))
    assert.isTrue(await styled([], { FORCE_COLOR: "1" }))
    assert.isFalse(await styled([], { FORCE_COLOR: "1", NO_COLOR: "1" }))
    assert.isFalse(await styled(["--no-color"], { FORCE_COLOR: "1" }))
  })

  it("ends quietly when the reader of stdout has gone", async () => {
    const folder = make(quick)
    const running = start(["run", folder, "--json", "--quiet"])
    running.child.stdout?.destroy()
    assert.deepInclude(await running.ended, { code: 0, stderr: "" })
  })

  it.runIf(existsSync("/dev/full"))("says so and fails when the result cannot be written", () => {
    const { status, stderr } = spawnSync(
      "/bin/sh",
      ["-c", '"$0" "$1" tests "$2" > /dev/full', process.execPath, bin, make(quick)],
      {
        encoding: "utf8"
      }
    )
    assert.strictEqual(status, 1)
    assert.match(stderr, /^error the result could not be written to stdout: .*ENOSPC/)
  })

  it("starts nothing on a Node that is too old, and says so in one line", async () => {
    const old =
      "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})"
    const { code, stderr, stdout } = await arena(["--help"], { node: ["--import", old] })
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(stderr, /^arena needs Node\.js 22\.19 or newer; this is .*\n$/)
  })
})
