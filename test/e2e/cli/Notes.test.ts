import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, quick } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

describe("arena label", () => {
  it("sets tags, leaves them alone when they are not named, and takes them away with an empty text", async () => {
    const folder = make(quick)
    await arena(["run", folder, "--quiet", "--no-report"])
    const tagsAfter = async (...flags: ReadonlyArray<string>) => {
      const { code, stderr } = await arena(["label", folder, "latest", ...flags])
      assert.strictEqual(code, 0, stderr)
      return JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs[0].tags
    }
    assert.deepStrictEqual(await tagsAfter("--tags", "good, old", "--tags", "kept"), ["good", "old", "kept"])
    assert.deepStrictEqual(await tagsAfter("--notes", "hm"), ["good", "old", "kept"])
    assert.deepStrictEqual(await tagsAfter("--tags", ""), [])
  })
})

describe("arena doctor and arena validate", () => {
  const config = `project: judged
models:
  - { key: own, model: "mock:same", params: { mode: oracle } }
  - { key: brief, model: gpt-5-mini }
judge: { model: "mock:same", provider: mock }
`
  const tests = "tests: [{ id: a, input: q, expected: e, scorer: llm_judge }]\n"

  it.each(["doctor", "validate"])(
    "%s warns of a judge that is judged, and of a secret that is too short",
    async (verb) => {
      const folder = make({ "config.yaml": config, "tests.yaml": tests })
      const { stdout } = await arena([verb, folder, "--json"], { env: { OPENAI_API_KEY: "k3y" } })
      const messages: ReadonlyArray<string> = JSON.parse(stdout).warnings.map(
        ({ message }: { message: string }) => message
      )
      assert.strictEqual(messages.length, 2)
      assert.isTrue(messages.some((message) => message.includes('"own" is judged by its own model')))
      assert.isTrue(messages.some((message) => message.includes('"brief" has fewer than 8 characters')))
      assert.notInclude(stdout, "k3y")
    }
  )
})
