import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

const capital = readFileSync(join(import.meta.dirname, "../../core/scenario/fixtures/capital-check.yaml"), "utf8")

/** A folder with a scenario, two scripts, and a scenario that is wrong. */
const workshop = () =>
  make({
    "capital.yaml": capital,
    "firm.yaml": "- It is Canberra.\n- No, it is not Sydney.\n",
    "broken.yaml": "- It is Canberra.\n- { error: bad key }\n",
    "wrong.yaml": capital.replace("to: press", "to: pres")
  })

describe("arena scenario", () => {
  it("run plays a scenario with scripted answers", async () => {
    const folder = workshop()
    const run = await arena([
      "scenario",
      "run",
      join(folder, "capital.yaml"),
      "--answers",
      join(folder, "firm.yaml"),
      "--json"
    ])
    assert.strictEqual(run.code, 0)
    const { outcomes, path, score, status, turns } = JSON.parse(run.stdout)
    assert.deepStrictEqual([status, path, score], ["completed", ["ask", "press"], 1])
    assert.deepStrictEqual(outcomes, { firm: true, teachable: false, passes: 2, press_at: 1, done: true })
    assert.deepStrictEqual(
      turns.map((turn: { readonly verify_result: boolean }) => turn.verify_result),
      [true, true]
    )
  })

  it("run tells of a scripted error without failing itself", async () => {
    const folder = workshop()
    const run = await arena([
      "scenario",
      "run",
      join(folder, "capital.yaml"),
      "--answers",
      join(folder, "broken.yaml"),
      "--json"
    ])
    assert.strictEqual(run.code, 0)
    const { failure, status, turns } = JSON.parse(run.stdout)
    assert.deepStrictEqual([status, failure.node, failure.reason, turns.length], ["error", "press", "bad key", 2])
  })

  it("replay plays what was recorded, and fails for what was not", async () => {
    const folder = workshop()
    const [file, recording] = [join(folder, "capital.yaml"), join(folder, "recording.json")]
    await arena(["scenario", "run", file, "--answers", join(folder, "firm.yaml"), "--record", recording])
    assert.isTrue(existsSync(recording))
    const replay = await arena(["scenario", "replay", file, "--recording", recording, "--strict"])
    assert.strictEqual(replay.code, 0)
    assert.match(replay.stdout, /^capital-check: completed {2}ask -> press$/m)
    const other = await arena([
      "scenario",
      "replay",
      file,
      "--recording",
      recording,
      "--strict",
      "--contestant",
      "nobody"
    ])
    assert.strictEqual(other.code, 1)
    assert.match(other.stdout, /Replay strict miss/)
  })

  it("replay plays what a run recorded, of the scenario itself or of ordinary cases", async () => {
    const folder = make({
      "config.yaml": `project: recorded
tests: [tests.yaml, capital.yaml]
models:
  - key: wavering
    model: "mock:wavering"
    params:
      script_by_case:
        plain: [{ text: "It is Canberra." }]
        capital-check: [{ text: "It is Perth." }]
  - { key: stubborn, model: "mock:stubborn", params: { mode: fixed, text: "No, it is not Sydney." } }
`,
      "tests.yaml": 'tests: [{ id: plain, prompt: "What is the capital of Australia?", expected: Canberra }]\n',
      "capital.yaml": capital,
      "rest.yaml": "- No, it is not Sydney.\n"
    })
    const db = join(folder, "elsewhere.sqlite")
    const run = await arena(["run", folder, "--db", db, "--quiet", "--no-report"])
    assert.strictEqual(run.code, 0, run.stdout + run.stderr)
    const replay = (...args: ReadonlyArray<string>) =>
      arena(["scenario", "replay", join(folder, "capital.yaml"), "-p", folder, "--db", db, ...args])

    const own = await replay("--run", "latest", "--contestant", "wavering", "--strict", "--json")
    assert.strictEqual(own.code, 0, own.stdout + own.stderr)
    const { path, replicate, turns } = JSON.parse(own.stdout)
    assert.deepStrictEqual([path, replicate], [["ask", "teach"], 1])
    assert.deepStrictEqual(
      turns.map((turn: { readonly source: string; readonly output: string }) => [turn.source, turn.output]),
      [
        ["replay", "It is Perth."],
        ["replay", "It is Perth."]
      ]
    )

    const recording = join(folder, "recording.json")
    const rest = ["--contestant", "wavering", "--answers", join(folder, "rest.yaml")]
    const onto = await replay("--onto", "ask,press,nowhere", ...rest, "--record", recording)
    assert.strictEqual(onto.code, 0, onto.stdout + onto.stderr)
    assert.match(onto.stdout, /^capital-check: completed {2}ask -> press$/m)
    assert.match(onto.stderr, /1 answer of ordinary cases taken/)
    assert.match(onto.stderr, /node "press" \(wavering\): no case with its question/)
    assert.match(onto.stderr, /node "nowhere": there is no such node/)
    const again = await arena([
      "scenario",
      "replay",
      join(folder, "capital.yaml"),
      "--recording",
      recording,
      ...rest,
      "--json"
    ])
    assert.deepStrictEqual(JSON.parse(again.stdout).path, ["ask", "press"])

    writeFileSync(join(folder, "tests.yaml"), 'tests: [{ id: plain, prompt: "And Austria?", expected: Vienna }]\n')
    writeFileSync(join(folder, "capital.yaml"), capital.replace("What is the capital of Australia?", "And Austria?"))
    const changed = await replay("--onto", "ask", ...rest, "--json")
    const { projection } = JSON.parse(changed.stdout)
    assert.deepStrictEqual([projection.projected, projection.changed_cases], [[], ["plain"]])

    const nobody = await replay("--run", "latest")
    assert.strictEqual(nobody.code, 1)
    assert.match(nobody.stderr, /name one with --contestant: wavering, stubborn/)
  })

  it("paths says when the run is not whole", async () => {
    const folder = make({
      "config.yaml": `project: cut
tests: capital.yaml
models: [{ key: slow, model: "mock:slow", params: { mode: fixed, text: Canberra, latency_ms: 80, sleep: true } }]
run: { trials: 40, concurrency: 1, max_wall_s: 1 }
`,
      "capital.yaml": capital
    })
    assert.strictEqual((await arena(["run", folder, "--quiet", "--no-report"])).code, 3)
    const told = await arena(["scenario", "paths", folder])
    assert.match(
      told.stdout,
      /^! run_\S+ is partial \(time_limit\): \d+ of 40 cells have an outcome\n\ncapital-check: /
    )
    const { finished, planned, scenarios, status } = JSON.parse(
      (await arena(["scenario", "paths", folder, "--json"])).stdout
    )
    assert.deepStrictEqual([status, planned], ["partial", 40])
    assert.strictEqual(scenarios[0].statuses.completed, finished)
  })

  it("check finds what is wrong, with its place; graph draws", async () => {
    const folder = workshop()
    const sound = await arena(["scenario", "check", join(folder, "capital.yaml")])
    assert.strictEqual(sound.code, 0)
    const wrong = await arena(["scenario", "check", join(folder, "wrong.yaml")])
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /wrong\.yaml:9:\d+ .*"pres", which is no node.*did you mean "press"/)
    const graph = await arena(["scenario", "graph", join(folder, "capital.yaml")])
    assert.match(graph.stdout, /─▶ press {2}when verify_result = true/)
    const mermaid = await arena(["scenario", "graph", join(folder, "capital.yaml"), "--mermaid"])
    assert.match(mermaid.stdout, /^flowchart TD\n/)
  })
})
