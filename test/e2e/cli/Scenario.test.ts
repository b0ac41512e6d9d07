import { existsSync, readFileSync } from "node:fs"
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
