/** The programs of docs/library.md: their types are checked, they are run, and they print what the page says. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { root } from "../cli/arena.ts"

const page = readFileSync(join(root, "docs/library.md"), "utf8")

const blocksOf = (language: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(new RegExp(`^\`\`\`${language} (\\S+)\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
      ([, name = "", text = ""]) => [name, text]
    )
  )

const programs = blocksOf("ts")
const printed = blocksOf("text")

const tsc = join(root, "node_modules/typescript/bin/tsc")
const folder = mkdtempSync(join(tmpdir(), "arena-library-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const compilerOptions = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  sourceMap: false
}

/** Programs with a Layer of theirs left out. */
const lacking = [
  { program: "target.ts", layer: "Search", file: "lacking-search.ts" },
  { program: "scorer.ts", layer: "Roster", file: "lacking-roster.ts" }
] as const

const without = ({ layer, program }: (typeof lacking)[number]): string => {
  const whole = programs.get(program) ?? ""
  const rest = whole.replace(`, ${layer}.layer]`, "]")
  assert.notStrictEqual(rest, whole)
  return rest
}

const checkTypes = (): ReadonlyArray<string> => {
  const files = [...programs.keys(), ...lacking.map(({ file }) => file)]
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, files }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const checked = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" })
  return checked.stdout.split(/\n(?! )/).filter((finding) => finding !== "")
}

/** What a person would have who copies the page into a project of their own. */
let findings: ReadonlyArray<string>
beforeAll(() => {
  execFileSync(process.execPath, [tsc, "-b", "packages/connectors"], { cwd: root, stdio: "inherit" })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir")
  cpSync(join(root, "projects"), join(folder, "projects"), {
    recursive: true,
    filter: (path) => !path.endsWith("results")
  })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  for (const [name, text] of programs) writeFileSync(join(folder, name), text)
  for (const one of lacking) writeFileSync(join(folder, one.file), without(one))
  findings = checkTypes()
})

/** A line of the page as a pattern in which `…` is anything. */
const pattern = (line: string): RegExp =>
  new RegExp(`^${line.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*")}$`)

/** What was printed, with those of its lines that agree with the page as the page has them. */
const asOnThePage = (stdout: string, expected: string): string => {
  const lines = expected.split("\n")
  return stdout
    .split("\n")
    .map((line, index) => (pattern(lines[index] ?? "").test(line) ? (lines[index] ?? "") : line))
    .join("\n")
}

describe("docs/library.md", () => {
  it("shows only programs that say their name and what they print", () => {
    assert.strictEqual(programs.size, page.match(/^```ts/gm)?.length)
    assert.sameMembers([...printed.keys()], [...programs.keys()])
  })

  it("shows programs whose types are right", () => {
    assert.deepStrictEqual(
      findings.filter((finding) => !finding.includes("lacking-")),
      []
    )
  })

  it.each(lacking)(
    "$program does not compile without $layer.layer: what it needs is in its type",
    ({ file, layer }) => {
      const [finding, ...others] = findings.filter((one) => one.includes(file))
      assert.deepStrictEqual(others, [])
      assert.match(finding ?? "", new RegExp(`Type '${layer}' is not assignable to type 'never'`))
    }
  )

  it.each([...programs.keys()])("%s prints what the page says", (name) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [name], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, OPENAI_API_KEY: "" }
    })
    assert.strictEqual(status, 0, stderr)
    const expected = printed.get(name)?.trimEnd() ?? ""
    assert.strictEqual(asOnThePage(stdout.trimEnd(), expected), expected)
  })
})
