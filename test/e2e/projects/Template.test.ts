/** `projects/_template`, as `arena init` gives it to somebody who starts. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders } from "../cli/arena.ts"
import { casesOf, entryOf, mean, runProject, withoutKeys } from "./ExampleRun.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

/** Takes away the `#` of the commented entries of a block. */
const uncomment = (config: string, block: string): string => {
  const start = config.indexOf(`# ${block}:`)
  assert.isAtLeast(start, 0)
  const [before, after] = [config.slice(0, start), config.slice(start)]
  const [commented = "", ...rest] = after.split("\n\n")
  return `${before}${[commented.replaceAll(/^# /gm, ""), ...rest].join("\n\n")}`
}

describe("projects/_template", () => {
  it("runs as it is: the baseline gets what it deserves", async () => {
    const folder = join(make(), "first")
    assert.strictEqual((await arena(["init", folder])).code, 0)
    const { report } = await runProject(folder, make(), ["--no-report"])
    const cases = casesOf("_template")
    const scores = cases.map(({ expected }) => (expected === "billing" ? 1 : 0))
    assert.closeTo(entryOf(report, "baseline").metrics["accuracy"]?.raw ?? -1, mean(scores), 1e-9)
    assert.deepInclude(report, { status: "completed", planned: cases.length })
  })

  it("stays valid with its suggestions taken: models ask for their keys, constraints bind", async () => {
    const folder = join(make(), "second")
    assert.strictEqual((await arena(["init", folder])).code, 0)
    const path = join(folder, "config.yaml")
    const written = readFileSync(path, "utf8")
    const models = written.replaceAll(
      /^ {2}# ( *(?:- key: (?:gpt-mini|haiku|flash)|model: (?:gpt|claude|gemini)))/gm,
      "  $1"
    )
    const config = uncomment(models, "constraints")
    writeFileSync(path, config)
    const validated = await arena(["validate", folder, "--json"], { env: withoutKeys })
    assert.strictEqual(validated.code, 0, validated.stdout)
    const { report } = await runProject(folder, make(), ["--no-report"])
    assert.match(report.skipped_models["gpt-mini"] ?? "", /^OPENAI_API_KEY is not set/)
    assert.match(report.skipped_models["haiku"] ?? "", /^ANTHROPIC_API_KEY is not set/)
    assert.match(report.skipped_models["flash"] ?? "", /^GEMINI_API_KEY is not set/)
    assert.strictEqual(entryOf(report, "baseline").status, "disqualified")
  })
})
