import type { ProjectOverrides } from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { load, models, problems } from "./folders.ts"

const abc =
  "- {id: a, input: x, tags: [easy]}\n- {id: b, input: x, tags: [easy, hard]}\n- {id: c, input: x, tags: [hard]}\n"

const idsOf = (tests: string, overrides?: ProjectOverrides) =>
  Effect.map(load({ "config.yaml": `${models}tests: ${tests}\n`, "tests.yaml": abc }, overrides), ({ cases }) =>
    cases.map(({ id }) => id as string)
  )

describe("filters", () => {
  it.effect("ids, any tag, all tags, excluded tags, limit; in this order, in the order of the file", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* idsOf("{tags: [easy], exclude_tags: [hard], limit: 5}"), ["a"])
      assert.deepStrictEqual(yield* idsOf("{ids: [c, a]}"), ["a", "c"])
      assert.deepStrictEqual(yield* idsOf("{tags_any: hard}"), ["b", "c"])
      assert.deepStrictEqual(yield* idsOf("{all_tags: [easy, hard]}"), ["b"])
      assert.deepStrictEqual(yield* idsOf("{tags_all: [hard], limit: 1}"), ["b"])
      assert.deepStrictEqual(yield* idsOf("{ids: [b, c], tags: [hard], limit: 1}"), ["b"])
      assert.deepStrictEqual(yield* idsOf("{limit: 0, ids: []}"), ["a", "b", "c"])
    })
  )

  it.effect("numbers are words, too", () =>
    Effect.gen(function* () {
      const { cases } = yield* load({
        "config.yaml": `${models}tests: {ids: [1, 3], tags: [2024]}\n`,
        "tests.yaml": "- {id: 1, input: x, tags: [2024]}\n- {id: 2, input: x}\n- {id: '3', input: x, tags: ['2024']}\n"
      })
      assert.deepStrictEqual(
        cases.map(({ id }) => id as string),
        ["1", "3"]
      )
    })
  )

  it.effect("unknown ids are listed with what was probably meant", () =>
    Effect.gen(function* () {
      const files = {
        "config.yaml": `${models}tests: {ids: [refund_1, refnd_2, zzzzzz]}\n`,
        "tests.yaml": "- {id: refund_1, input: x}\n- {id: refund_2, input: x}\n"
      }
      assert.deepStrictEqual(yield* problems(files), [
        'config.yaml:2:25  no case has the id "refnd_2" (did you mean "refund_2"?)',
        'config.yaml:2:34  no case has the id "zzzzzz" (known: refund_1, refund_2)'
      ])
    })
  )

  it.effect("nothing left is an error, a tag that nothing has a warning", () =>
    Effect.gen(function* () {
      const files = { "config.yaml": `${models}tests: {tags: [nope]}\n`, "tests.yaml": abc }
      assert.deepStrictEqual(yield* problems(files), [
        "config.yaml:2:15  no case is left after the filters (known tags: easy, hard)"
      ])
      const project = yield* load({ ...files, "config.yaml": `${models}tests: {tags: [easy, hrad]}\n` })
      assert.deepStrictEqual(
        project.warnings.map(({ message, suggestion }) => [message, suggestion]),
        [['no case has the tag "hrad"', 'did you mean "hard"?']]
      )
    })
  )
})

describe("overrides", () => {
  it.effect("replace the settings of the file, whatever their name there", () =>
    Effect.gen(function* () {
      const project = yield* load(
        {
          "config.yaml": `${models}run: {trials: 9, timeout_s: 5}\ntests: {tags_any: [hard], limit: 1}\nbudgets: {max_run_usd: 1}\n`,
          "tests.yaml": abc
        },
        {
          trials: 2,
          concurrency: 3,
          requestTimeoutS: 7,
          idleTimeoutS: 1,
          cellTimeoutS: 2,
          maxWallS: 3,
          drainS: 4,
          termDrainS: 5,
          retries: 6,
          retryBackoffS: 0,
          maxRetryAfterS: 8,
          failFast: true,
          seed: 11,
          tags: ["easy"],
          limit: 2,
          maxRunUsd: 4,
          maxModelUsd: 2,
          onExceed: "warn",
          minMargin: 0.1,
          formats: ["csv"]
        }
      )
      assert.deepStrictEqual(project.run, {
        trials: 2,
        concurrency: 3,
        requestTimeoutS: 7,
        idleTimeoutS: 1,
        cellTimeoutS: 2,
        maxWallS: 3,
        drainS: 4,
        termDrainS: 5,
        retries: 6,
        retryBackoffS: 0,
        maxRetryAfterS: 8,
        failFast: true,
        seed: 11,
        cache: null,
        record: null,
        replay: null
      })
      assert.deepStrictEqual(
        project.cases.map(({ id }) => id as string),
        ["a", "b"]
      )
      assert.strictEqual(project.budgets.maxRunUsd, 4)
      assert.strictEqual(project.budgets.onExceed, "warn")
      assert.strictEqual(project.statistics.minMargin, 0.1)
      assert.deepStrictEqual(project.output.formats, ["csv"])
      assert.strictEqual(project.rules.trials, 2)
    })
  )

  it.effect("work on the short forms of a block", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* idsOf("[tests.yaml]", { ids: ["b"] }), ["b"])
      const project = yield* load({ "config.yaml": `${models}statistics: false\n` }, { minMargin: 0 })
      assert.deepStrictEqual([project.statistics.enabled, project.statistics.minMargin], [false, 0])
    })
  )

  it.effect("paths are relative to the working directory; the output folder moves the database", () =>
    Effect.gen(function* () {
      const config = { "config.yaml": `${models}output: {dir: here}\ntests: [none.yaml]\n` }
      const project = yield* load(config, {
        outputDir: "some/out",
        cache: "some/cache",
        tests: ["test/fixtures/projects/template/*.yaml"].map((path) => path.replace("*", "tests"))
      })
      assert.strictEqual(project.output.dir, `${process.cwd()}/some/out`)
      assert.strictEqual(project.output.db, `${process.cwd()}/some/out/arena.sqlite`)
      assert.strictEqual(project.run.cache, `${process.cwd()}/some/cache`)
      assert.strictEqual(project.cases.length, 4)
    })
  )

  it.effect("choose contestants by key or model; the others stay known, but disabled", () =>
    Effect.gen(function* () {
      const config = {
        "config.yaml": "models: [{key: a, model: m}, {key: b, model: m, enabled: false}, {key: c, model: n}]\n"
      }
      const chosen = (contestants: ReadonlyArray<string>) =>
        Effect.map(load(config, { contestants }), (project) => [
          project.contestants.map(({ key, enabled }) => [key as string, enabled]),
          project.rules.contestants.map(({ key }) => key as string)
        ])
      assert.deepStrictEqual(yield* chosen(["m"]), [
        [
          ["a", true],
          ["b", false],
          ["c", false]
        ],
        ["a"]
      ])
      assert.deepStrictEqual(yield* chosen(["c", "a"]), [
        [
          ["a", true],
          ["b", false],
          ["c", true]
        ],
        ["a", "c"]
      ])
    })
  )

  it.effect("are checked like the file, and named by their flag", () =>
    Effect.gen(function* () {
      const wrong: Record<string, unknown> = {
        trials: 0,
        ids: ["refnd"],
        contestants: ["mock:b", "zzz"],
        formats: ["pdf"],
        nope: 1,
        trails: 2
      }
      const files = { "config.yaml": `${models}run: {retries: -1}\n`, "tests.yaml": "- {id: refund, input: x}\n" }
      assert.deepStrictEqual((yield* problems(files, wrong as ProjectOverrides)).toSorted(), [
        '--cases  no case has the id "refnd" (did you mean "refund"?)',
        '--contestants  there is no contestant "mock:b" (did you mean "mock:a"?)',
        '--contestants  there is no contestant "zzz" (contestants: mock:a)',
        '--formats  output.formats[0]: expected one of markdown, md, json, csv, html, junit, got "pdf"',
        '--nope  unknown override "nope"',
        '--trails  unknown override "trails" (did you mean "trials"?)',
        "--trials  run.trials: expected a whole number >= 1, got 0",
        "config.yaml:2:16  run.retries: expected a whole number >= 0, got -1"
      ])
    })
  )

  it.effect("are in the snapshot of the config", () =>
    Effect.gen(function* () {
      const { raw } = yield* load({ "config.yaml": `${models}run: {trials: 9, seed: 1}\n` }, { trials: 2 })
      assert.deepStrictEqual(raw, { models: ["mock:a"], run: { trials: 2, seed: 1 } })
    })
  )
})
