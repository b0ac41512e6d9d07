import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { loadFrom } from "./folders.ts"

const fixture = (name: string) => loadFrom(fileURLToPath(new URL(`../../fixtures/projects/${name}`, import.meta.url)))

describe("projects in the earlier format", () => {
  it.effect("load with only models, tests, metrics and constraints", () =>
    Effect.gen(function* () {
      const project = yield* fixture("earlier_minimal")
      assert.strictEqual(project.name, "earlier_minimal")
      assert.deepStrictEqual(
        project.contestants.map(({ key, model, params }) => [key, model, params]),
        [
          ["mock:small", "mock:small", {}],
          ["big", "mock:big", { mode: "flaky", accuracy: 90 }]
        ]
      )
      assert.deepStrictEqual(
        project.cases.map(({ id, reference, tags }) => [id, reference, tags]),
        [
          ["first", 4, ["smoke"]],
          ["cases-003", "no", ["smoke"]]
        ]
      )
      assert.deepStrictEqual(project.cases[1]?.messages, [{ role: "user", content: "Say no." }])
      assert.deepStrictEqual(project.metrics.weights, { accuracy: 5, cost: 3, latency: 2 })
      assert.deepStrictEqual(project.metrics.specs, {
        cost: { direction: null, normalise: "target", target: 5 },
        latency: { direction: null, normalise: "target", target: 2000 }
      })
      assert.strictEqual(project.constraints.minAccuracy, 0.7)
      assert.deepStrictEqual(project.warnings, [])
    })
  )

  it.effect("get the defaults of every setting", () =>
    Effect.gen(function* () {
      const project = yield* fixture("earlier_minimal")
      assert.deepStrictEqual(project.run, {
        trials: 1,
        concurrency: 4,
        requestTimeoutS: 120,
        idleTimeoutS: 60,
        cellTimeoutS: 300,
        maxWallS: 0,
        drainS: 30,
        termDrainS: 5,
        retries: 2,
        retryBackoffS: 2,
        maxRetryAfterS: 60,
        failFast: false,
        seed: null,
        cache: null,
        record: null,
        replay: null
      })
      assert.deepStrictEqual(project.statistics, {
        enabled: true,
        resamples: 2000,
        confidence: 0.95,
        seed: 0,
        minMargin: 0.02
      })
      assert.deepStrictEqual(project.budgets, {
        maxRunUsd: null,
        maxModelUsd: null,
        confirmAboveUsd: null,
        onExceed: "stop",
        allowUnpriced: false
      })
      assert.deepStrictEqual(project.output, {
        dir: `${project.root}/results`,
        db: `${project.root}/results/arena.sqlite`,
        formats: ["markdown", "json"]
      })
      assert.strictEqual(project.judge.model, null)
      assert.strictEqual(project.judge.maxTokens, 512)
      assert.strictEqual(project.watch.driftThreshold, 0.05)
      assert.strictEqual(project.scorers.default, "exact_match")
    })
  )
})

describe("the shapes of the example projects", () => {
  it.effect("simulated models with anchors, prices, disabled entries, YAML and CSV cases", () =>
    Effect.gen(function* () {
      const project = yield* fixture("support_triage")
      assert.deepStrictEqual(
        project.contestants.map(({ key, label, enabled, card }) => [
          key,
          label,
          enabled,
          card?.inputUsdPerMtok ?? null
        ]),
        [
          ["frontier", "Frontier", true, 5],
          ["balanced", "Balanced", true, 3],
          ["small", "small", true, 1],
          ["tiny", "tiny", true, 0.25],
          ["opus", "opus", false, null],
          ["haiku", "haiku", false, null]
        ]
      )
      const [csvFirst, csvSecond, ...yaml] = project.cases
      assert.deepStrictEqual(
        yaml.map(({ id }) => id),
        ["refund_1", "billing_1", "technical_1"]
      )
      assert.deepStrictEqual(csvFirst?.messages, [{ role: "user", content: 'I cannot log in, my password is "gone"' }])
      assert.deepStrictEqual(csvSecond?.tags, ["hard", "short"])
      assert.deepStrictEqual(csvSecond?.metadata, { channel: "chat" })
      assert.strictEqual(csvSecond?.weight, 0.5)
      assert.deepStrictEqual(yaml[2]?.messages, [
        { role: "user", content: "The app crashes when I open it.\n\nIt worked yesterday.\n" }
      ])
      assert.deepStrictEqual(csvFirst?.scorers[0].params, { labels: ["refund", "billing", "technical", "account"] })
      assert.strictEqual(project.defaults.maxTokens, 8)
      assert.deepStrictEqual(project.metrics.specs["cost"], { direction: null, normalise: "target", target: 2 })
    })
  )

  it.effect("cards in layers, hooks, project scorers and JSON lines", () =>
    Effect.gen(function* () {
      const project = yield* fixture("doc_extraction")
      assert.deepStrictEqual(project.pricing.cards["mock:careful"], {
        inputUsdPerMtok: 1,
        outputUsdPerMtok: 4,
        contextTokens: 200000,
        features: ["structured_outputs", "streaming"],
        privacy: { training_opt_out: true },
        asOf: "2026-09-01"
      })
      assert.strictEqual(project.pricing.cards["mock:quick"]?.asOf, "2026-08-01")
      assert.deepStrictEqual(project.pricing.aliases, { "quick-latest": "mock:quick" })
      assert.strictEqual(project.hooks.postProcess?.exportName, "cleanUp")
      assert.strictEqual(project.hooks.onResult, null)
      assert.deepStrictEqual(project.scorers.paths, [`${project.root}/scorers/iso_currency.ts`])
      assert.deepStrictEqual(project.constraints.privacyRequired, ["training_opt_out"])
      assert.deepStrictEqual(project.constraints.requiredFeatures, ["structured_outputs"])
      assert.deepStrictEqual(
        project.cases.map(({ id, scorers, position }) => [id, scorers[0].type, scorers[0].params, position.line]),
        [
          ["invoice_1", "json_match", { mode: "subset" }, 2],
          ["invoice_2", "iso_currency", {}, 4],
          ["tests-003", "contains", { mode: "any" }, 5]
        ]
      )
    })
  )

  it.effect("providers, globs and tag filters", () =>
    Effect.gen(function* () {
      const project = yield* fixture("local_demo")
      assert.strictEqual(project.name, "local demo")
      const [box] = project.providers
      assert.strictEqual(box?.kind, "ollama")
      assert.strictEqual(box?.baseUrl, "http://127.0.0.1:11434/v1")
      assert.strictEqual(
        box?.apiKeyRef === null ? null : Redacted.value(box?.apiKeyRef ?? Redacted.make("")),
        `\${env:BOX_KEY}`
      )
      assert.deepStrictEqual(box?.rateLimit, { rpm: 600, tpm: null, concurrency: null, burst: 2 })
      assert.deepStrictEqual(box?.retry, { attempts: 1, backoffS: null })
      assert.strictEqual(box?.modelPrefix, "library/")
      assert.strictEqual(project.run.requestTimeoutS, 60)
      assert.deepStrictEqual(
        project.cases.map(({ id }) => id),
        ["a", "b"]
      )
      assert.deepStrictEqual(project.contestants[2]?.source, {
        _tag: "Model",
        model: "mistral-small",
        provider: null,
        apiKeyEnv: null,
        apiBase: "http://127.0.0.1:8000/v1"
      })
    })
  )

  it.effect("functions, programs and endpoints as targets, after the models", () =>
    Effect.gen(function* () {
      const project = yield* fixture("pipeline_demo")
      assert.deepStrictEqual(
        project.contestants.map(({ key, model, source }) => [key, model, source._tag]),
        [
          ["mock:baseline", "mock:baseline", "Model"],
          ["single", "pipelines/answer.ts:single", "Callable"],
          ["revise", "pipelines/answer.ts:revise", "Callable"],
          ["program", "node answer.js {prompt}", "Command"],
          ["service", "https://example.org/answer", "Url"]
        ]
      )
      const [, single, revise, program, service] = project.contestants
      assert.deepStrictEqual(single?.source, {
        _tag: "Callable",
        module: "pipelines/answer.ts",
        exportName: "single"
      })
      assert.isTrue(revise?.exposeReference)
      assert.deepStrictEqual(program?.source, {
        _tag: "Command",
        argv: ["node", "answer.js", "{prompt}"],
        env: { MODE: "fast" }
      })
      assert.deepStrictEqual(service?.source, {
        _tag: "Url",
        url: "https://example.org/answer",
        headers: { Authorization: "Bearer abc" },
        body: { question: "{prompt}" },
        responsePath: "choices.0.text"
      })
      assert.deepStrictEqual(project.cases[0]?.id, "test_cases-001")
    })
  )

  it.effect("async functions with metrics of their own, JSON configs, arena.yaml", () =>
    Effect.gen(function* () {
      const mara = yield* fixture("mara")
      assert.deepStrictEqual(mara.metrics.specs["rework_loops"], { direction: "min", normalise: null, target: null })
      assert.strictEqual(mara.run.retries, 0)
      const coding = yield* fixture("coding_models")
      assert.deepStrictEqual(coding.cases[0]?.scorers[0].params, { timeout_s: 5 })
      assert.strictEqual(coding.contestants[0]?.key, "gpt-5-mini")
      const template = yield* fixture("template")
      assert.strictEqual(template.configFile, `${template.root}/arena.yaml`)
      assert.deepStrictEqual(template.constraints.requiredFeatures, ["function_calling"])
      assert.deepStrictEqual(
        template.cases.map(({ scorers, weight }) => [scorers[0].type, scorers[0].params, weight]),
        [
          ["exact_match", {}, 1],
          ["numeric", { abs_tol: 0 }, 1],
          ["json_match", {}, 2],
          ["contains", { mode: "any" }, 1]
        ]
      )
    })
  )
})

describe("the rules for ranking", () => {
  it.effect("have the enabled contestants with their cards, and the cases", () =>
    Effect.gen(function* () {
      const { rules } = yield* fixture("support_triage")
      assert.deepStrictEqual(
        rules.contestants.map(({ key, provider, skipped }) => [key, provider, skipped]),
        ["frontier", "balanced", "small", "tiny"].map((key) => [key, "mock", null])
      )
      assert.strictEqual(rules.contestants[1]?.card?.outputUsdPerMtok, 15)
      assert.strictEqual(rules.trials, 3)
      assert.deepStrictEqual(rules.cases[1], { id: "account_2", weight: 0.5, tags: ["hard", "short"] } as never)
    })
  )
})
