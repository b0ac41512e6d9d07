import { execFileSync } from "node:child_process"
import { chmod, mkdir, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cases, type Files, folder, load, loadFrom, models, problems } from "./folders.ts"

const bytes = (...parts: ReadonlyArray<string | number>): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))))

const onlyProblem = (files: Files, line: string) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* problems(files), [line])
  })

/** A project that a test changes before it is loaded. */
const changed = (files: Files, change: (root: string) => Promise<void>) =>
  Effect.gen(function* () {
    const root = yield* folder({ "tests.yaml": cases, ...files })
    yield* Effect.promise(() => change(root))
    const { message } = yield* Effect.flip(loadFrom(root))
    return message.split("\n").map((line) => line.replaceAll(`${root}/`, "").replace(/^(\S+) +/, "$1  "))
  })

describe("YAML that wants too much", () => {
  it.effect("alias bombs", () => {
    const levels = Array.from(
      { length: 20 },
      (_, index) =>
        `l${index}: &l${index} [${Array(9)
          .fill(index === 0 ? "x" : `*l${index - 1}`)
          .join(", ")}]`
    )
    return Effect.gen(function* () {
      const lines = yield* problems({ "config.yaml": `${models}${levels.join("\n")}\n` })
      assert.include(lines.join("\n"), "aliases stand for more than 200000 values")
      const inCases = yield* problems({
        "config.yaml": models,
        "tests.yaml": `- id: a\n  input: x\n  metadata:\n${levels.map((level) => `    ${level}`).join("\n")}\n`
      })
      assert.include(inCases.join("\n"), "aliases stand for more than 200000 values")
    })
  })

  it.effect("aliases of themselves and of nothing", () =>
    Effect.gen(function* () {
      const cyclic = yield* problems({ "config.yaml": `${models}defaults: &d {params: {again: *d}}\n` })
      assert.deepStrictEqual(cyclic, ["config.yaml:2:31  *d refers to a value that contains it"])
      assert.deepStrictEqual(yield* problems({ "config.yaml": models, "tests.yaml": "- &a {input: x}\n- *b\n" }), [
        "tests.yaml:2:3  *b has no anchor &b before it",
        "tests.yaml:2:3  case 2: expected a mapping, got nothing"
      ])
    })
  )

  it.effect("nesting, in every notation", () =>
    Effect.gen(function* () {
      for (const deep of ["[".repeat(100_000), "- ".repeat(50_000), "{a: ".repeat(50_000), "? ".repeat(50_000)]) {
        const [line, ...more] = yield* problems({ "config.yaml": deep })
        assert.match(line ?? "", /^config\.yaml:1:\d+ {2}nested more than 100 levels deep$/)
        assert.deepStrictEqual(more, [])
      }
      const json = yield* problems({ "config.yaml": models, "tests.json": "[".repeat(1_000_000) })
      assert.deepStrictEqual(json, ["tests.json:1:101  nested more than 100 levels deep"])
      const line = yield* problems({
        "config.yaml": models,
        "tests.jsonl": `{"metadata": {"a": ${"[".repeat(200_000)}`
      })
      assert.deepStrictEqual(line, ["tests.jsonl:1:118  nested more than 100 levels deep"])
      const blocks = Array.from({ length: 150 }, (_, level) => `${" ".repeat(level + 4)}a:`).join("\n")
      const block = yield* problems({
        "config.yaml": models,
        "tests.yaml": `- id: x\n  input: x\n  metadata:\n${blocks}\n`
      })
      assert.match(block[0] ?? "", /^tests\.yaml:\d+:\d+ {2}nested more than 100 levels deep$/)
    })
  )

  it.effect("keys that would become prototypes", () =>
    Effect.gen(function* () {
      const files = {
        "config.yaml": `${models}run: {__proto__: {trials: 3}}\n`,
        "tests/a.json": '[{"input": "x", "metadata": {"__proto__": {"a": 1}}}]',
        "tests/b.jsonl": '{"input": "x", "__proto__": 1}',
        "tests/c.csv": "input,metadata.__proto__\nx,1\n",
        "tests/d.yaml": "- input: x\n  metadata:\n    __proto__: 1\n",
        "tests/e.jsonl": '{"input": "x", "\\u005f_proto__": 1}'
      }
      assert.deepStrictEqual(yield* problems(files), [
        'config.yaml:2:7  the key "__proto__" is not allowed',
        'tests/a.json:1:30  the key "__proto__" is not allowed',
        'tests/b.jsonl:1:16  the key "__proto__" is not allowed',
        'tests/c.csv:1:7  the name "metadata.__proto__" is not allowed',
        'tests/d.yaml:3:5  the key "__proto__" is not allowed',
        'tests/e.jsonl:1:1  the key "__proto__" is not allowed'
      ])
      assert.isUndefined(Reflect.get({}, "trials"))
    })
  )
})

describe("bytes that are no text", () => {
  it.effect("the first byte that is not UTF-8", () =>
    onlyProblem(
      { "config.yaml": bytes("models: [mock:a]\nname: caf", 0xe9, " x\n") },
      "config.yaml:2:10  the byte 0xe9 is not UTF-8 (save the file as UTF-8)"
    )
  )
  it.effect("a character that is cut off, surrogates, overlong forms", () =>
    Effect.gen(function* () {
      for (const bad of [bytes("[\n", 0xe2, 0x82), bytes("[\n", 0xed, 0xa0, 0x80), bytes("[\n", 0xc0, 0x80)]) {
        const [line] = yield* problems({ "config.yaml": models, "tests.yaml": bad })
        assert.match(line ?? "", /^tests\.yaml:2:1 {2}the byte 0x\w\w is not UTF-8/)
      }
    })
  )
  it.effect("UTF-16", () =>
    onlyProblem(
      { "config.yaml": bytes(0xff, 0xfe, "m", 0, "o", 0) },
      "config.yaml:1:1  the file is UTF-16 (save it as UTF-8)"
    )
  )
  it.effect("NUL", () =>
    onlyProblem(
      { "config.yaml": models, "tests.csv": "id\na\0b\n" },
      "tests.csv:2:2  a NUL byte: this is not a text file"
    )
  )
  it.effect("a byte order mark is no content", () =>
    Effect.gen(function* () {
      const project = yield* load({ "config.yaml": `\ufeff${models}`, "tests.yaml": `\ufeff${cases}` })
      assert.strictEqual(project.cases[0]?.id, "one" as never)
    })
  )
  it.effect("terminal escapes are shown, not sent", () =>
    Effect.gen(function* () {
      const [line] = yield* problems({ "config.json": '{"models": ["mock:a"], "\\u001b[2J\\u202e": 1}' })
      assert.strictEqual(line, 'config.json:1:24  unknown key "\\u001b[2J\\u202e"')
    })
  )
})

describe("files that are none", () => {
  it.effect("100 MB, without reading them", () =>
    Effect.gen(function* () {
      const lines = yield* changed({ "config.yaml": models }, async (root) => {
        for (const name of ["tests/a.yaml", "tests/b.jsonl", "tests/c.csv"]) {
          await mkdir(join(root, "tests"), { recursive: true })
          await writeFile(join(root, name), "")
          await truncate(join(root, name), 100 * 1024 * 1024)
        }
      })
      assert.deepStrictEqual(lines, [
        "tests/a.yaml  cannot be read: it is larger than 16 MiB",
        "tests/b.jsonl  cannot be read: it is larger than 64 MiB",
        "tests/c.csv  cannot be read: it is larger than 64 MiB"
      ])
      const config = yield* changed({ "config.yaml": models }, (root) =>
        truncate(join(root, "config.yaml"), 3 * 1024 * 1024)
      )
      assert.deepStrictEqual(config, ["config.yaml  cannot be read: it is larger than 2 MiB"])
    })
  )

  it.effect("links in circles, broken links, pipes, folders", () =>
    Effect.gen(function* () {
      const lines = yield* changed(
        { "config.yaml": `${models}tests: [loop.yaml, broken.yaml, pipe.yaml, tests]\n`, "tests/a.yaml": cases },
        async (root) => {
          await symlink("loop.yaml", join(root, "loop.yaml"))
          await symlink("nowhere.yaml", join(root, "broken.yaml"))
          await symlink("..", join(root, "tests", "up"))
          await symlink(".", join(root, "tests", "self"))
          await mkdir(join(root, "tests", "folder.yaml"))
          execFileSync("mkfifo", [join(root, "pipe.yaml"), join(root, "tests", "pipe.yaml")])
        }
      )
      assert.deepStrictEqual(lines, [
        'config.yaml:2:9  "loop.yaml": its symbolic links go round in a circle',
        'config.yaml:2:20  "broken.yaml": there is no such file or folder (present: config.yaml, loop.yaml, pipe.yaml, tests, tests.yaml)',
        'config.yaml:2:33  "pipe.yaml": it is neither a file nor a folder'
      ])
    })
  )

  it.effect("files that may not be read", () =>
    Effect.gen(function* () {
      const isRoot = process.getuid?.() === 0
      const outcome = yield* Effect.exit(
        Effect.gen(function* () {
          const root = yield* folder({ "config.yaml": models, "tests.yaml": cases })
          yield* Effect.promise(() => chmod(join(root, "tests.yaml"), 0))
          const error = yield* Effect.flip(loadFrom(root))
          assert.include(error.message, "cannot be read: it may not be read (permission denied)")
        })
      )
      // The superuser may read everything, and then the project simply loads.
      assert.strictEqual(outcome._tag, isRoot ? "Failure" : "Success")
    })
  )

  it.effect("configs that are folders, projects that are pipes", () =>
    Effect.gen(function* () {
      const lines = yield* changed({}, (root) => mkdir(join(root, "config.yaml")).then(() => undefined))
      assert.match(
        lines[0] ?? "",
        /is not a project: it has none of config\.yaml, config\.yml, config\.json, arena\.yaml, arena\.json \(make a project with: arena init /
      )
      const root = yield* folder({})
      execFileSync("mkfifo", [join(root, "pipe")])
      const { message } = yield* Effect.flip(loadFrom(join(root, "pipe")))
      assert.include(message, "is neither a project folder nor a config file")
    })
  )
})

describe("more than anyone reads", () => {
  it.effect("problems are counted, not all told", () =>
    Effect.gen(function* () {
      const lines = yield* problems({
        "config.yaml": models,
        "tests.jsonl": Array.from({ length: 5000 }, () => '{"wieght": 1}').join("\n")
      })
      assert.strictEqual(lines.length, 1001)
      assert.strictEqual(lines.at(-1), "tests.jsonl  and more problems; the first 1000 are listed")
    })
  )

  it.effect("keys of one mapping, columns of one table", () =>
    Effect.gen(function* () {
      const keys = Array.from({ length: 5000 }, (_, index) => `k${index}`)
      const lines = yield* problems({
        "config.json": JSON.stringify({ models: ["mock:a"], ...Object.fromEntries(keys.map((key) => [key, 1])) }),
        "tests.jsonl": JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))),
        "tests.csv": `${keys.join(",")}\n`
      })
      assert.strictEqual(lines.length, 103)
      assert.include(lines, "config.json:1:1  and 4900 more problems")
      assert.include(lines, "tests.jsonl:1:1  case 1: it has 5000 keys, more than any case needs")
      assert.include(lines, "tests.csv:1:1  5000 columns, more than the 1000 that are read")
    })
  )
})
