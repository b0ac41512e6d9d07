import { join } from "node:path"
import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import type { Scorer as AnyScorer } from "@agent-arena/core/domain/Scorer"
import type { CaseScorer, Params, TestCase } from "@agent-arena/core/domain/TestCase"
import { scoreCell } from "@agent-arena/core/scoring/CellScore"
import * as Scorer from "@agent-arena/core/scoring/Scorer"
import * as ScorerRegistry from "@agent-arena/core/scoring/ScorerRegistry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { caseOf, cellOf } from "./judging.ts"
import { folderOf, importModule, registerModule } from "./projects.ts"

const make = (root: string, customScorers: ReadonlyArray<AnyScorer> = [], paths = [join(root, "scorers")]) =>
  ScorerRegistry.make({ root, settings: { default: "exact_match", paths, options: {} }, customScorers, importModule })

const registryOf = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  return yield* make(yield* folderOf(files))
})

const issuesOf = (files: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(registryOf(files)), (error) => error.issues)

const scoreWith = (registry: ScorerRegistry.ScorerRegistry, type: string, output: string, params: Params = {}) => {
  const testCase = caseOf(type, "expected", params)
  return scoreCell(registry.bind(testCase), { output, testCase, cell: cellOf() })
}

const lines = (issues: ReadonlyArray<ProjectIssue>) =>
  issues.map(({ position, message }) => `${position.file}: ${message}`)

describe("scorers of a project", () => {
  it.effect("are found in every form in which a file can give them", () =>
    Effect.gen(function* () {
      const registry = yield* registryOf({
        "scorers/polite.ts": "export default (output: string): boolean => /please/i.test(output)",
        "scorers/short.mjs": `export default {
          name: "short", description: "Short answers.", requiresReference: true,
          score(output, reference, { params }) { return output.length <= params.limit },
          check(_, params) { return params.limit > 100 ? "limit is too large" : undefined }
        }`,
        "scorers/several.js":
          "export const scorers = { yes: () => 1, no: { score: async () => ({ score: 0, reason: 'no' }) } }",
        "scorers/deep/list.mts": "export const scorers = [{ name: 'listed', score: () => 0.5 }]",
        "scorers/registered.ts": `import { registerScorer } from ${JSON.stringify(registerModule)}
          registerScorer("called", (output) => output === "x")
          registerScorer({ name: "called_object", score: () => true })`,
        "scorers/_shared.ts": "export const nothing = 1",
        "scorers/types.d.ts": "export type T = 1",
        "scorers/polite.test.ts": "throw new Error('a test is no scorer')",
        "scorers/notes.md": "# notes"
      })
      const own = registry.scorers
        .filter(({ source }) => source !== "built-in")
        .map(({ name, source }) => [name, source])
      assert.deepStrictEqual(own, [
        ["listed", "scorers/deep/list.mts"],
        ["polite", "scorers/polite.ts"],
        ["called", "scorers/registered.ts"],
        ["called_object", "scorers/registered.ts"],
        ["yes", "scorers/several.js"],
        ["no", "scorers/several.js"],
        ["short", "scorers/short.mjs"]
      ])
      assert.isEmpty(registry.warnings)
      assert.isTrue((yield* scoreWith(registry, "polite", "Please.")).passed)
      assert.isFalse((yield* scoreWith(registry, "short", "too long", { limit: 3 })).passed)
      assert.strictEqual((yield* scoreWith(registry, "no", "")).reason, "no")
      assert.isTrue((yield* scoreWith(registry, "called", "x")).passed)
      assert.strictEqual(registry.find("short")?.description, "Short answers.")
      const issues = registry.check(caseOf("short", undefined, { limit: 101 }))
      assert.deepStrictEqual(lines(issues), [
        'tests.yaml: case "case": short: the case has no reference',
        'tests.yaml: case "case": short: limit is too large'
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("are known again when the project is loaded a second time", () =>
    Effect.gen(function* () {
      const root = yield* folderOf({
        "scorers/once.mjs": `import { registerScorer } from ${JSON.stringify(registerModule)}
          registerScorer("once", () => 1)`
      })
      for (const registry of [yield* make(root), yield* make(root)]) {
        assert.strictEqual((yield* scoreWith(registry, "once", "")).score, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("may come from another copy of the library", () =>
    Effect.gen(function* () {
      const registry = yield* registryOf({
        "scorers/foreign.mjs": `const key = Symbol.for("@agent-arena/core/scoring/RegisterScorer")
          globalThis[key].pending.push({ name: "foreign", definition: () => 1 })
          export default { [Symbol.for("@agent-arena/core/scoring/Scorer")]: true, name: "made", description: "",
            requiresReference: false, source: "program", check: () => [],
            score: ({ output }) => ({ score: output === "x" ? 1 : 0, passed: true, reason: "", detail: {}, metrics: {} }) }`
      })
      assert.strictEqual((yield* scoreWith(registry, "foreign", "")).score, 1)
      assert.strictEqual((yield* scoreWith(registry, "made", "x")).score, 1)
      assert.strictEqual(registry.find("made")?.source, "scorers/foreign.mjs")
    }).pipe(Effect.scoped)
  )

  it.effect("replace a built-in of their name, with a warning", () =>
    Effect.gen(function* () {
      const registry = yield* registryOf({ "scorers/exact_match.mjs": "export default () => 0.25" })
      assert.strictEqual((yield* scoreWith(registry, "exact_match", "expected")).score, 0.25)
      assert.deepStrictEqual(lines(registry.warnings), [
        'scorers/exact_match.mjs: scorer "exact_match" replaces the built-in of that name'
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("may come from the program", () =>
    Effect.gen(function* () {
      const root = yield* folderOf({ "scorers/theirs.mjs": "export default () => 1" })
      const registry = yield* make(root, [Scorer.make("ours", () => 0.5)])
      assert.strictEqual((yield* scoreWith(registry, "ours", "")).score, 0.5)
      assert.strictEqual((yield* scoreWith(registry, "theirs", "")).score, 1)
      const error = yield* Effect.flip(make(root, [Scorer.make("theirs", () => 0.5)]))
      assert.include(error.message, 'scorer "theirs" is defined in program and in scorers/theirs.mjs')
    }).pipe(Effect.scoped)
  )

  it.effect("that are wrong are reported together, each with its file", () =>
    Effect.gen(function* () {
      const issues = yield* issuesOf({
        "scorers/a.mjs": "export const scorers = { same: () => 1 }",
        "scorers/b.mjs": "export const scorers = { same: () => 1 }",
        "scorers/class.mjs": "export default class Polite { score() { return 1 } }",
        "scorers/empty.mjs": "export const helper = 1",
        "scorers/field.mjs": "export default { score: () => 1, requireReference: true }",
        "scorers/map.mjs": "export const scorers = { bad: 5 }",
        "scorers/number.mjs": "export default 5",
        "scorers/syntax.mjs": "export default (",
        "scorers/throws.mjs": "throw new Error('at the top level')"
      })
      const text = lines(issues)
      assert.lengthOf(text, 8)
      assert.match(text[0] ?? "", /^scorers\/class\.mjs: export an instance/)
      assert.match(text[1] ?? "", /^scorers\/empty\.mjs: it registers no scorer/)
      assert.match(
        text[2] ?? "",
        /^scorers\/field\.mjs: unknown field "requireReference" \(did you mean "requiresReference"\?\)/
      )
      assert.match(text[3] ?? "", /^scorers\/map\.mjs: scorer "bad": a scorer is a function/)
      assert.match(text[4] ?? "", /^scorers\/number\.mjs: a scorer is a function/)
      assert.match(text[5] ?? "", /^scorers\/syntax\.mjs: /)
      assert.match(text[6] ?? "", /^scorers\/throws\.mjs: .*at the top level/)
      assert.strictEqual(text[7], 'scorers/b.mjs: scorer "same" is defined in scorers/a.mjs and in scorers/b.mjs')
    }).pipe(Effect.scoped)
  )

  it.effect("may name embedding functions, which are loaded beforehand", () =>
    Effect.gen(function* () {
      const root = yield* folderOf({
        "embed.mjs": "export const embed = async (text) => [text.length, 1]\nexport const other = 5"
      })
      const semantic = (embedding: string) => caseOf("semantic", "abc", { embedding })
      const options = {
        root,
        settings: { default: "exact_match", paths: [], options: {} },
        customScorers: [],
        importModule
      }
      const good = semantic("embed.mjs:embed")
      const registry = yield* ScorerRegistry.make({ ...options, cases: [good] })
      const scored = yield* scoreCell(registry.bind(good), { output: "xyz", testCase: good, cell: cellOf() })
      assert.closeTo(scored.score ?? -1, 1, 1e-12)
      const cases = [
        semantic("embed.mjs:missing"),
        semantic("embed.mjs:other"),
        semantic("none.mjs:f"),
        semantic("bad")
      ]
      const error = yield* Effect.flip(ScorerRegistry.make({ ...options, cases }))
      assert.lengthOf(error.issues, 3)
      assert.include(error.issues[0]?.message, 'embed.mjs exports no function "missing"')
      assert.include(error.issues[1]?.message, 'embed.mjs exports no function "other"')
      assert.strictEqual(error.issues[2]?.position.file, "tests.yaml")
    }).pipe(Effect.scoped)
  )

  it.effect("are looked for where the config says", () =>
    Effect.gen(function* () {
      const root = yield* folderOf({ "one.mjs": "export default () => 1", "more/two.mjs": "export default () => 1" })
      const registry = yield* make(root, [], [join(root, "one.mjs"), join(root, "more"), join(root, "more", "two.mjs")])
      assert.isDefined(registry.find("one"))
      assert.isDefined(registry.find("two"))
      const error = yield* Effect.flip(make(root, [], [join(root, "missing")]))
      assert.strictEqual(error.message, "missing  there is no such file or folder")
    }).pipe(Effect.scoped)
  )
})

describe("the scorers of a case", () => {
  const registry = ScorerRegistry.fromScorers<never>([])

  it.effect("that do not exist are explained", () =>
    Effect.gen(function* () {
      const issues = registry.check(caseOf("exact_mach", "a"))
      assert.lengthOf(issues, 1)
      assert.include(issues[0]?.message, 'unknown scorer "exact_mach" (did you mean "exact_match"?)')
      assert.include(issues[0]?.message, "known: exact_match, contains, regex")
      const error = yield* Effect.flip(scoreWith(registry, "exact_mach", "a"))
      assert.include(error.detail, "unknown scorer")
    })
  )

  it("are checked at their own places in the file", () => {
    const entry = (type: string, line: number, params: Params = {}): CaseScorer => ({
      type,
      weight: 1,
      params,
      position: { file: "tests.yaml", line, column: 3 }
    })
    const testCase: TestCase = {
      ...caseOf("exact_match", "abc"),
      scorers: [entry("exact_match", 5), entry("numeric", 6), entry("regex", 7, { pattern: "(" })]
    }
    const issues = registry.check(testCase)
    assert.deepStrictEqual(
      issues.map(({ position, message }) => [position.line, message]),
      [
        [6, 'case "case": numeric: the reference "abc" is not a number'],
        [7, 'case "case": regex: pattern "(" does not compile: unterminated group']
      ]
    )
  })

  it("are described with their options", () => {
    for (const { name, description, params } of registry.scorers) {
      assert.isNotEmpty(description, name)
      for (const param of params ?? []) assert.isNotEmpty(param.description, `${name}.${param.name}`)
    }
    const mode = registry.find("contains")?.params?.find(({ name }) => name === "mode")
    assert.deepStrictEqual(mode, {
      name: "mode",
      type: "all | any | none",
      fallback: "all",
      description: "all: the score is the share found; any: one is enough; none: no item may occur."
    })
  })
})
