import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, quick } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

const document = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await arena([...args, "--json"])
  assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** How many results the newest part of the newest run has asked for. */
const askedLast = async (folder: string): Promise<number> => {
  const { runs } = await document("runs", folder, "--parts")
  const parts: ReadonlyArray<{ kind: string; results: number }> = runs[0].parts
  return parts.findLast(({ kind }) => kind !== "reuse")?.results ?? 0
}

describe("the plan of a run that begins with earlier results", () => {
  it.each([
    ["--reuse", "run"],
    ["--resume", "run"]
  ])("with %s asks for what the run then asks for, when contestants and cases have changed", async (flag, verb) => {
    const folder = make(quick)
    await document("run", folder, "--quiet")
    const same = await document(verb, folder, flag, "latest", "--dry-run")
    assert.strictEqual(same.to_ask, 0)
    // Another answer of one contestant, another question in one case, another expectation in another.
    writeFileSync(join(folder, "config.yaml"), `${quick["config.yaml"]}`.replace("no | idea", "none"))
    writeFileSync(
      join(folder, "tests.yaml"),
      `${quick["tests.yaml"]}`
        .replace("input: one", "input: uno")
        .replace("three, expected: yes", "three, expected: no")
    )
    const plan = await document(verb, folder, flag, "latest", "--dry-run")
    assert.strictEqual(plan.to_ask, 4)
    assert.strictEqual(plan.earlier.held, 2)
    await document(verb, folder, flag, "latest", "--quiet")
    // The answer of which only the scoring has changed is scored again, and so written again, but not asked for.
    assert.strictEqual(await askedLast(folder), plan.to_ask + 1)
  })
})
