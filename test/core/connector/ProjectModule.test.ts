import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { exportedPath } from "@agent-arena/core/project/PackageExports"
import { loadFunction, moduleHash } from "@agent-arena/core/project/ProjectModule"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder, writeIn } from "./folders.ts"

const script = fileURLToPath(new URL("loadModules.ts", import.meta.url))

type Outcome = { readonly reference: string; readonly answer?: string; readonly error?: string }

/** Loads functions in a process of its own, because the test runner replaces Node's loader. */
const loadInNode = (root: string, edit: string, references: ReadonlyArray<string>) =>
  Effect.callback<{ readonly outcomes: ReadonlyArray<Outcome>; readonly stderr: string }>((resume) => {
    const args = ["--conditions=agent-arena-source", script, root, edit, ...references]
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resume(error === null ? Effect.succeed({ outcomes: JSON.parse(stdout), stderr }) : Effect.die(error))
    })
  })

const files = {
  "good.ts": "export const f = (x: string): string => 'v1 ' + x\nexport const g = () => 1\nexport const n = 3\n",
  "default.mjs": "export default () => 'by default'\n",
  "common.cjs": "const offer = { f: () => 'common' }\nmodule.exports = offer\n",
  "types.ts": "export const a = 1\nexport function f(x: string {\n  return 1\n}\n",
  "script.mjs": "export const a = 1\n\nexport function f( {\n",
  "nested.ts": 'import { a } from "./types.ts"\nexport const f = () => a\n',
  "enum.ts": "export enum Colour { Red }\nexport const f = () => 1\n",
  "throws.ts": 'const key: string = "k"\n\nthrow new Error("boom " + key)\n',
  "imports.ts": 'import { x } from "not-a-package"\nexport const f = () => x\n',
  "old.py": "def f(): return 1\n",
  "jsx.tsx": "export const f = () => 1\n",
  "node_modules/dual/package.json": JSON.stringify({
    name: "dual",
    exports: { ".": { import: "./esm.mjs", require: "./common.cjs" }, "./deep/*": "./lib/*.mjs", "./closed": null }
  }),
  "node_modules/dual/esm.mjs": "export const f = () => 'esm'\n",
  "node_modules/dual/common.cjs": "exports.f = () => 'cjs'\n",
  "node_modules/dual/lib/a.mjs": "export const f = () => 'deep'\n",
  "node_modules/@scope/old/package.json": JSON.stringify({ name: "@scope/old", main: "index.js" }),
  "node_modules/@scope/old/index.js": "exports.f = () => 'old'\n"
}

describe("loading a function", () => {
  it.live("finds it in files and packages; says in one line what is wrong with the others", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder(files)
      const expected: ReadonlyArray<readonly [string, string]> = [
        ["good.ts:f", "v1 x"],
        ["./good.ts:f", "v1 x"],
        ["default.mjs:default", "by default"],
        ["common.cjs:f", "common"],
        ["dual:f", "esm"],
        ["dual/deep/a:f", "deep"],
        ["@scope/old:f", "old"],
        ["good.ts:ff", 'no such export; it exports f, g (did you mean "f"?)'],
        ["good.ts:n", "this export is a number, not a function"],
        ["gone.ts:f", `the file ${join(root, "gone.ts")} does not exist`],
        ["nothing:f", 'the package "nothing" is not installed in the project\'s folder (npm i nothing)'],
        ["dual/closed:f", 'the package "dual" does not export "./closed"'],
        ["types.ts:f", "syntax error at types.ts:2: Expected ',', got '{'"],
        ["nested.ts:f", "syntax error at types.ts:2: Expected ',', got '{'"],
        ["script.mjs:f", "syntax error at script.mjs:4: Unexpected end of input"],
        ["enum.ts:f", "syntax error at enum.ts:1: TypeScript enum is not supported in strip-only mode"],
        ["throws.ts:f", "it throws while it is loaded at throws.ts:3:7: boom k"],
        ["imports.ts:f", "(npm i not-a-package in the project's folder)"],
        ["old.py:f", "Node cannot run .py files; a program is written as command:"],
        ["gone.py:f", "does not exist"],
        ["jsx.tsx:f", "Node cannot run .tsx files"]
      ]
      const edit = "good.ts=export const f = (x: string): string => 'v2 ' + x"
      const { outcomes, stderr } = yield* loadInNode(root, edit, [...expected.map(([reference]) => reference)])
      for (const [index, [reference, words]] of expected.entries()) {
        const outcome = outcomes[index]
        const told = outcome?.answer ?? outcome?.error ?? ""
        assert.include(told, words, reference)
        assert.notMatch(told, /\n|\bat .*node:internal/, reference)
      }
      // An edited file takes effect without a restart.
      assert.strictEqual(outcomes.at(-1)?.answer, "v2 x")
      assert.strictEqual(stderr, "")
    })
  )

  it.live("hashes the content of the module", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder({ "a.mjs": "export const f = () => 1\n" })
      const hash = yield* moduleHash(root, "a.mjs")
      const loaded = yield* loadFunction(root, { module: "a.mjs", exportName: "f" })
      assert.strictEqual(loaded.hash, hash)
      writeIn(root, "a.mjs", "export const f = () => 2\n")
      assert.notStrictEqual(yield* moduleHash(root, "a.mjs"), hash)
      const gone = yield* Effect.flip(moduleHash(root, "b.mjs"))
      assert.include(gone.message, "does not exist")
    })
  )
})

describe("exports of a package", () => {
  it("are resolved as an import would", () => {
    assert.strictEqual(exportedPath("./a.js", "."), "./a.js")
    assert.strictEqual(exportedPath("./a.js", "./b"), null)
    assert.strictEqual(exportedPath({ require: "./a.cjs", default: "./a.js" }, "."), "./a.js")
    assert.strictEqual(exportedPath({ ".": [{ browser: "./b.js" }, "./a.js"] }, "."), "./a.js")
    assert.strictEqual(exportedPath({ "./*": "./src/*.js", "./in/*": null }, "./in/x"), null)
    assert.strictEqual(exportedPath({ "./*": "./src/*.js" }, "./deep/x"), "./src/deep/x.js")
    assert.strictEqual(exportedPath({ ".": { node: { import: "./n.js" } } }, "."), "./n.js")
    assert.strictEqual(exportedPath({ ".": "../outside.js" }, "."), null)
  })
})
