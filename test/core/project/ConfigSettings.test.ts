import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { load, models } from "./folders.ts"

const loadConfig = (config: string) => load({ "config.yaml": config })

describe("run", () => {
  it.effect("all limits, seeds and folders", () =>
    Effect.gen(function* () {
      const { run, root } = yield* loadConfig(
        `${models}run: {trials: 3, concurrency: 8, request_timeout_s: 0, idle_timeout_s: 5, cell_timeout_s: 0.5, max_wall_s: 60, drain_s: 1, term_drain_s: 2, retries: 0, retry_backoff_s: 0.1, max_retry_after_s: 7, fail_fast: true, seed: -3, cache: true, record: tapes, replay: /tapes}\noutput: {dir: out, formats: md}\n`
      )
      assert.deepStrictEqual(run, {
        trials: 3,
        concurrency: 8,
        requestTimeoutS: 0,
        idleTimeoutS: 5,
        cellTimeoutS: 0.5,
        maxWallS: 60,
        drainS: 1,
        termDrainS: 2,
        retries: 0,
        retryBackoffS: 0.1,
        maxRetryAfterS: 7,
        failFast: true,
        seed: -3,
        cache: `${root}/out/cache`,
        record: `${root}/tapes`,
        replay: "/tapes"
      })
    })
  )

  it.effect("empty blocks and nulls are as good as absent", () =>
    Effect.gen(function* () {
      const project = yield* loadConfig(
        `${models}run:\nmetrics: null\nconstraints: {min_accuracy: ~}\nhooks:\ntests:\n`
      )
      assert.strictEqual(project.run.trials, 1)
      assert.deepStrictEqual(project.metrics.weights, { accuracy: 1 })
      assert.strictEqual(project.constraints.minAccuracy, null)
      assert.strictEqual(project.cases.length, 1)
    })
  )
})

describe("contestants", () => {
  it.effect("id names the model, or the key beside model", () =>
    Effect.gen(function* () {
      const { contestants } = yield* loadConfig(
        "models: [{id: a}, {id: b, model: mock:x}, {name: c, key: d}, {id: e, key: f}]\ntargets: [{key: g, url: 'https://example.org', label: G}]\n"
      )
      assert.deepStrictEqual(
        contestants.map(({ key, model, label }) => [key, model, label]),
        [
          ["a", "a", "a"],
          ["b", "mock:x", "b"],
          ["d", "c", "d"],
          ["f", "e", "f"],
          ["g", "https://example.org", "G"]
        ]
      )
    })
  )

  it.effect("one model may be written without a list", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* loadConfig("models: mock:only\n")).contestants.map(({ key }) => key),
        ["mock:only"]
      )
    })
  )

  it.effect("commands as text are split without a shell", () =>
    Effect.gen(function* () {
      const { contestants } = yield* loadConfig(
        `targets:\n  - command: python3 "my file.py" --q 'it is "so"' a\\ b "\\"\\\\" $HOME '{prompt}' ""\n`
      )
      const source = contestants[0]?.source
      assert.deepStrictEqual(source?._tag === "Command" ? source.argv : null, [
        "python3",
        "my file.py",
        "--q",
        'it is "so"',
        "a b",
        '"\\',
        "$HOME",
        "{prompt}",
        ""
      ])
    })
  )

  it.effect("blocking, params and card", () =>
    Effect.gen(function* () {
      const { contestants } = yield* load({
        "config.yaml":
          "targets: [{run: 'a.ts:default', blocking: true, params: {x: [1]}, card: {prompt_tiers: [{above_tokens: 200000, input_usd_per_mtok: 4}], context: 10, note: n}}]\n",
        "a.ts": ""
      })
      assert.deepStrictEqual(contestants[0]?.card, {
        promptTiers: [{ aboveTokens: 200000, inputUsdPerMtok: 4 }],
        contextTokens: 10,
        notes: "n"
      })
      assert.isTrue(contestants[0]?.blocking)
      assert.deepStrictEqual(contestants[0]?.params, { x: [1] })
      assert.deepStrictEqual(contestants[0]?.position.line, 1)
      assert.deepStrictEqual(contestants[0]?.position.column, 11)
    })
  )
})

describe("metrics and constraints", () => {
  it.effect("by metric, by map, and in the words of both", () =>
    Effect.gen(function* () {
      const { metrics } = yield* loadConfig(
        `${models}metrics:\n  weights: {accuracy: 2, loops: 1}\n  tie_breaker: cost\n  directions: {loops: lower, depth: higher}\n  normalize: {loops: budget, latency: raw}\n  targets: {loops: 4}\n  cost: {budget: 0}\n  latency: {target: 5}\n`
      )
      assert.deepStrictEqual(metrics, {
        weights: { accuracy: 2, loops: 1 },
        tieBreaker: "cost",
        specs: {
          cost: { direction: null, normalise: "target", target: 0 },
          latency: { direction: null, normalise: "raw", target: 5 },
          loops: { direction: "min", normalise: "target", target: 4 },
          depth: { direction: "max", normalise: null, target: null }
        }
      })
    })
  )

  it.effect("weights keep the order in which they are written", () =>
    Effect.gen(function* () {
      const { metrics } = yield* loadConfig(`${models}metrics: {weights: {latency: 1, accuracy: 0, cost: 2}}\n`)
      assert.deepStrictEqual(Object.entries(metrics.weights), [
        ["latency", 1],
        ["accuracy", 0],
        ["cost", 2]
      ])
    })
  )

  it.effect("constraints nested and flat", () =>
    Effect.gen(function* () {
      const expected = {
        minAccuracy: 0.5,
        maxErrorRate: 0.1,
        maxCostPer1kCallsUsd: 3,
        maxLatencyP95Ms: 900,
        privacyRequired: ["dpa"],
        requiredFeatures: ["vision", "tools"],
        minContextTokens: 8000,
        allowUnknownCard: false,
        allowUnknown: false
      }
      const numbers =
        "min_accuracy: 0.5, max_error_rate: 0.1, max_cost_per_1k_calls_usd: 3, max_latency_p95_ms: 900, allow_unknown: false"
      const nested = yield* loadConfig(
        `${models}constraints: {${numbers}, privacy: {requirements: [dpa]}, deployment: {features: [vision, tools], min_context: 8000, allow_unknown_card: false}}\n`
      )
      const flat = yield* loadConfig(
        `${models}constraints: {${numbers}, privacy_required: dpa, required_features: [vision, tools], min_context_tokens: 8000, allow_unknown_card: false}\n`
      )
      assert.deepStrictEqual(nested.constraints, expected)
      assert.deepStrictEqual(flat.constraints, expected)
      const zero = yield* loadConfig(`${models}constraints: {min_context_tokens: 0}\n`)
      assert.strictEqual(zero.constraints.minContextTokens, null)
      assert.isTrue(zero.constraints.allowUnknownCard)
      assert.isTrue(zero.constraints.allowUnknown)
    })
  )

  it.effect("a p95 target of the mean latency is told", () =>
    Effect.gen(function* () {
      const { warnings } = yield* loadConfig(`${models}metrics: {latency: {target_p95_ms: 800}}\n`)
      assert.deepStrictEqual(
        warnings.map(({ message, position }) => [message, position.line, position.column]),
        [["metrics.latency.target_p95_ms: target_p95_ms is compared with the mean latency here", 2, 36]]
      )
    })
  )

  it.effect("a weight that looks like a built-in metric is told, unless the metric is described", () =>
    Effect.gen(function* () {
      const { warnings } = yield* loadConfig(`${models}metrics: {weights: {accuarcy: 1, brevity: 1}}\n`)
      assert.deepStrictEqual(
        warnings.map(({ message, position, suggestion }) => [message, position.column, suggestion]),
        [
          [
            'metrics.weights: "accuarcy" is no built-in metric, so a target or scorer has to give it',
            21,
            'did you mean "accuracy"?'
          ]
        ]
      )
      const meant = yield* loadConfig(`${models}metrics: {weights: {token: 1}, token: {direction: min}}\n`)
      assert.deepStrictEqual(meant.warnings, [])
    })
  )
})

describe("other blocks", () => {
  it.effect("statistics as a switch or a mapping", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* loadConfig(`${models}statistics: false\n`)).statistics.enabled)
      assert.deepStrictEqual(
        (yield* loadConfig(`${models}statistics: {min_margin: 0, seed: 4, resamples: 100}\n`)).statistics,
        {
          enabled: true,
          resamples: 100,
          confidence: 0.95,
          seed: 4,
          minMargin: 0
        }
      )
    })
  )

  it.effect("budgets, watch, judge and output", () =>
    Effect.gen(function* () {
      const project = yield* loadConfig(
        `${models}budgets: {max_run_usd: 1, max_model_usd: 0, confirm_above_usd: 5, on_exceed: warn, allow_unpriced: true}\nwatch: {drift_threshold: 0.1, webhook: 'https://example.org/h'}\njudge: {model: gpt-5, provider: openai, base_url: 'https://a', prompt: 'Rate {output}', max_tokens: 9}\noutput: {db: x.sqlite, formats: [html, md, markdown, junit]}\n`
      )
      assert.deepStrictEqual(project.budgets, {
        maxRunUsd: 1,
        maxModelUsd: 0,
        confirmAboveUsd: 5,
        onExceed: "warn",
        allowUnpriced: true
      })
      assert.deepStrictEqual(project.watch, { driftThreshold: 0.1, webhook: "https://example.org/h" })
      assert.strictEqual(project.judge.apiBase, "https://a")
      assert.strictEqual(project.judge.maxTokens, 9)
      assert.deepStrictEqual(project.scorers.options, { llm_judge: { prompt: "Rate {output}" } })
      assert.strictEqual(project.output.db, `${project.root}/x.sqlite`)
      assert.deepStrictEqual(project.output.formats, ["html", "markdown", "junit"])
    })
  )

  it.effect("a response format for everything is a request param", () =>
    Effect.gen(function* () {
      const { defaults } = yield* loadConfig(
        `${models}defaults: {max_tokens: 0, temperature: 0, params: {top_p: 1}, response_format: {type: object}}\n`
      )
      assert.deepStrictEqual(defaults, {
        system: null,
        maxTokens: null,
        temperature: 0,
        params: { top_p: 1, response_format: { type: "object" } }
      })
    })
  )

  it.effect("the folder scorers is used when there is one; what cannot run is told", () =>
    Effect.gen(function* () {
      const project = yield* load({
        "config.yaml": models,
        "scorers/b.ts": "",
        "scorers/deep/a.mjs": "",
        "scorers/_shared.ts": "",
        "scorers/b.test.ts": "",
        "scorers/old.py": "",
        "scorers/notes.md": ""
      })
      assert.deepStrictEqual(
        project.scorers.paths.map((path) => path.slice(project.root.length)),
        ["/scorers/b.ts", "/scorers/deep/a.mjs"]
      )
      assert.deepStrictEqual(
        project.warnings.map(({ message }) => message),
        ["left out: scorers in Python cannot be called from here"]
      )
    })
  )
})

describe("secrets", () => {
  const config = `providers:
  - id: a
    kind: openai
    api_key: sk-literal-key
    headers: {X-Org: org-secret, X-Ref: "\${env:ORG}"}
    proxy: http://user:pass@proxy:8080
models: [{model: gpt-5, provider: a, params: {max_tokens: 5}}]
targets:
  - {key: t, url: 'https://u:p@example.org/x', headers: {Authorization: Bearer hidden-token}}
  - {key: c, command: [node, x.js], env: {TOKEN: hidden-env}}
  - {url: 'https://u:p@ss-hidden@example.org/y?api_key=hidden-query&v=2'}
  - {command: 'curl https://u:hidden-word@example.org/z'}
  - {key: o, run: 't.mjs:f', params: {client_secret: hidden-param, access_token: hidden-token-2, api_key_env: NAMED}}
watch: {webhook: 'https://hooks.example.org/hidden-hook'}
`
  it.effect("are redacted, warned about, and absent from the snapshot", () =>
    Effect.gen(function* () {
      const project = yield* load({ "config.yaml": config, "t.mjs": "export const f = () => ''" })
      const [profile] = project.providers
      assert.strictEqual(String(profile?.apiKeyRef), "<redacted>")
      assert.strictEqual(Redacted.value(profile?.headers["X-Org"] ?? Redacted.make("")), "org-secret")
      const raw = JSON.stringify(project.raw)
      for (const secret of ["sk-literal", "org-secret", "pass", "u:p", "hidden"]) assert.notInclude(raw, secret)
      for (const kept of [`\${env:ORG}`, "***@proxy:8080", '"max_tokens":5', "X-Org", "TOKEN", "example.org/x"]) {
        assert.include(raw, kept)
      }
      assert.include(raw, "NAMED")
      const names = project.contestants.map(({ key, label, model }) => `${key} ${label} ${model}`).join("\n")
      assert.notInclude(names, "hidden")
      assert.include(names, "https://***@example.org/y?api_key=***&v=2")
      assert.deepStrictEqual(
        project.warnings.map(({ message, position }) => [message, position.line]),
        [["providers[0].api_key: the key itself stands in the file", 4]]
      )
      assert.notInclude(JSON.stringify(project.providers), "sk-literal")
    })
  )
})
