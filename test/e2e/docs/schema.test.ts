/** The published schemas, to which the example projects point their editors. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { arena, build, root } from "../cli/arena.ts"

beforeAll(build)

describe("docs/schema", () => {
  it.each(["config", "tests"])("%s.schema.json is what `arena schema` prints", async (name) => {
    const { stdout } = await arena(["schema", name])
    const committed = readFileSync(join(root, `docs/schema/${name}.schema.json`), "utf8")
    const remedy = `npx arena schema ${name} > docs/schema/${name}.schema.json && npm run format`
    assert.deepStrictEqual(JSON.parse(committed), JSON.parse(stdout), remedy)
  })
})
