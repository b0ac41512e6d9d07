import * as EnvFile from "@agent-arena/core/project/EnvFile"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folder, load, loadFrom, models } from "./folders.ts"

describe("the grammar of .env", () => {
  it("comments, export, quotes, escapes; the last of two wins", () => {
    const text = [
      "# comment",
      "",
      "A=plain # comment",
      "B=a#b",
      "  export C = spaced value  ",
      'D="two\\nlines \\"quoted\\" \\\\ \\x" # comment',
      "E='no $escapes\\n'",
      "F=",
      "G= # nothing",
      "A=again",
      "H=x=y",
      "\tI='#'"
    ].join("\r\n")
    assert.deepStrictEqual(EnvFile.parse(text), {
      variables: {
        A: "again",
        B: "a#b",
        C: "spaced value",
        D: 'two\nlines "quoted" \\ \\x',
        E: "no $escapes\\n",
        F: "",
        G: "",
        H: "x=y",
        I: "#"
      },
      ignored: []
    })
  })

  it("leaves out what is malformed", () => {
    const text = ["1A=x", "no equals", 'A="open', "B='open", 'C="x" y', "D='x'y", "A B=c", "OK=1"].join("\n")
    assert.deepStrictEqual(EnvFile.parse(text), { variables: { OK: "1" }, ignored: [1, 2, 3, 4, 5, 6, 7] })
  })

  it("is quick with long lines", () => {
    const { variables } = EnvFile.parse(`A=x${" ".repeat(200_000)}y\nB=${"#".repeat(200_000)}`)
    assert.strictEqual(variables["A"]?.length, 200_002)
    assert.strictEqual(variables["B"], "")
  })
})

describe("the environment of a project", () => {
  it.effect("is its .env over the user's own, and never the process's", () =>
    Effect.gen(function* () {
      const home = yield* folder({ "agent-arena/.env": "SHARED=user\nUSER_ONLY=1\n" })
      const root = yield* folder({
        "config.yaml": models,
        "tests.yaml": "- {input: x}\n",
        ".env": "SHARED=project\nARENA_TEST_VARIABLE=1\nbroken line\n"
      })
      const { env, warnings } = yield* loadFrom(root, {}, home)
      assert.deepStrictEqual(env, { SHARED: "project", USER_ONLY: "1", ARENA_TEST_VARIABLE: "1" })
      assert.isUndefined(process.env["ARENA_TEST_VARIABLE"])
      assert.deepStrictEqual(
        warnings.map(({ message, position }) => [message, position.line]),
        [["the line is left out: it is not NAME=value", 3]]
      )
    })
  )

  it.effect("is empty without files", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* load({ "config.yaml": models })).env, {})
    })
  )
})
