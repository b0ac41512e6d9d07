import { Connector } from "@agent-arena/core/connector/Connector"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import * as Target from "@agent-arena/core/connector/Target"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import * as Score from "@agent-arena/core/domain/Score"
import type { Scorer } from "@agent-arena/core/domain/Scorer"
import * as Project from "@agent-arena/core/project/Project"
import { ProjectLoader } from "@agent-arena/core/project/ProjectLoader"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cases, folder, load, loadFrom, models } from "./folders.ts"

class Search extends Context.Service<Search, { readonly find: (text: string) => Effect.Effect<string> }>()(
  "test/Search"
) {}

class Grader extends Context.Service<Grader, { readonly grade: Effect.Effect<number> }>()("test/Grader") {}

const searching = Target.make("rag", (request) => Effect.flatMap(Search, (search) => search.find(request.prompt)))

const grading: Scorer<Grader> = {
  name: "graded",
  description: "",
  requiresReference: false,
  score: () =>
    Effect.map(
      Effect.flatMap(Grader, ({ grade }) => grade),
      (value) => Score.make(value)
    ),
  check: () => [],
  source: "test"
}

describe("what a program adds to a project", () => {
  it.effect("contestants, with what they require in the type, and in the rules", () =>
    Effect.gen(function* () {
      const project = Project.withContestants(yield* load({ "config.yaml": models }), [searching])
      expectTypeOf(project).toEqualTypeOf<Project.Project<Search>>()
      assert.deepStrictEqual(
        project.contestants.map(({ key }) => key as string),
        ["mock:a", "rag"]
      )
      assert.deepStrictEqual(
        project.rules.contestants.map(({ key, provider }) => [key as string, provider]),
        [
          ["mock:a", "mock"],
          ["rag", "inline"]
        ]
      )
    })
  )

  it.effect("a contestant takes the place of the one with its key", () =>
    Effect.gen(function* () {
      const project = Project.withContestants(yield* load({ "config.yaml": models }), [
        { ...searching, key: ContestantKey.make("mock:a") }
      ])
      assert.deepStrictEqual(
        project.contestants.map(({ source }) => source._tag),
        ["Inline"]
      )
    })
  )

  it.effect("scorers, whose requirements join those of the contestants", () =>
    Effect.gen(function* () {
      const loaded = yield* load({ "config.yaml": models })
      const project = Project.withScorers(Project.withContestants(loaded, [searching]), [grading])
      expectTypeOf(project).toEqualTypeOf<Project.Project<Search | Grader>>()
      assert.deepStrictEqual(
        project.customScorers.map(({ name }) => name),
        ["graded"]
      )
      assert.strictEqual(Project.withScorers(project, [grading]).customScorers.length, 1)
    })
  )

  it.effect("cases and settings, which the rules follow", () =>
    Effect.gen(function* () {
      const loaded = yield* load({ "config.yaml": models })
      const [first] = loaded.cases
      if (first === undefined) return assert.fail("no case")
      const more = Project.withCases(loaded, [first, { ...first, id: CaseId.make("two"), weight: 3 }])
      assert.deepStrictEqual(
        more.rules.cases.map(({ id, weight }) => [id as string, weight]),
        [
          ["one", 1],
          ["two", 3]
        ]
      )
      const changed = Project.withSettings(more, { run: { trials: 5 }, metrics: { weights: { latency: 1 } } })
      assert.strictEqual(changed.rules.trials, 5)
      assert.strictEqual(changed.run.concurrency, 4)
      assert.deepStrictEqual(changed.rules.metrics.weights, { latency: 1 })
      assert.deepStrictEqual(Project.rules(changed), changed.rules)
    })
  )
})

describe("loading", () => {
  it.effect("needs nothing from the program", () =>
    Effect.gen(function* () {
      const root = yield* folder({ "config.yaml": models, "tests.yaml": cases })
      const loading = Project.load(`${root}/config.yaml`)
      expectTypeOf<Effect.Services<typeof loading>>().toEqualTypeOf<never>()
      const project = yield* loadFrom(`${root}/config.yaml`)
      assert.strictEqual(project.root, root)
      assert.strictEqual(project.configFile, `${root}/config.yaml`)
    })
  )

  it.effect("can be replaced by the program", () =>
    Effect.gen(function* () {
      const fixed = yield* load({ "config.yaml": models })
      const project = yield* Project.load("anywhere").pipe(
        Effect.provideService(ProjectLoader, { load: () => Effect.succeed(fixed) })
      )
      assert.strictEqual(project, fixed)
    })
  )

  it.effect("takes the first config of the accepted names", () =>
    Effect.gen(function* () {
      const names = ["config.yaml", "config.yml", "config.json", "arena.yaml", "arena.json"]
      for (let from = 0; from < names.length; from++) {
        const files = names.slice(from).map((name) => [name, name.endsWith("json") ? '{"models": ["mock:a"]}' : models])
        const project = yield* load(Object.fromEntries(files))
        assert.strictEqual(project.configFile, `${project.root}/${names[from]}`)
      }
    })
  )

  it.effect("knows the kinds of connectors that the program brings", () =>
    Effect.gen(function* () {
      const files = { "config.yaml": "models: [{model: a, provider: mine}]\nproviders: [{id: b, kind: mine}]\n" }
      assert.strictEqual((yield* Effect.flip(load(files))).issues.length, 2)
      const registry = new Map([["mine", () => Layer.effect(Connector, Effect.die("never built"))]])
      const project = yield* load(files).pipe(Effect.provideService(ConnectorRegistry, registry))
      assert.strictEqual(project.providers[0]?.kind, "mine")
    })
  )
})
