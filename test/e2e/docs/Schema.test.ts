/** The published schemas, to which the example projects point their editors. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { arena, build, root } from "../cli/arena.ts"

beforeAll(build)

describe("docs/schema", () => {
  it.each(["config", "tests"])("%s.schema.json is what `arena schema` prints", async (name) => {
    const path = `docs/schema/${name}.schema.json`
    const { code, stderr, stdout } = await arena(["schema", name])
    assert.strictEqual(code, 0, stderr)
    const committed = readFileSync(join(root, path), "utf8")
    const remedy = `npx arena schema ${name} > ${path} && npm run format`
    assert.deepStrictEqual(JSON.parse(committed), JSON.parse(stdout), remedy)
  })

  it("is where the examples say it is", () => {
    // The template points at files that `arena init` writes.
    const files = globSync("projects/!(_template)/**/*.yaml", { cwd: root })
    const missing = files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8")
      const [, schema] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? []
      return schema === undefined || existsSync(join(root, dirname(file), schema)) ? [] : [`${file}: ${schema}`]
    })
    assert.isAbove(files.length, 5)
    assert.deepStrictEqual(missing, [])
  })
})
