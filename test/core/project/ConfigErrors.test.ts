import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cases, folder, loadFrom, models, problems } from "./folders.ts"

/** The config is wrong in exactly these ways. */
const wrong = (name: string, config: string, ...lines: ReadonlyArray<string>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problems({ "config.yaml": config }), lines)
    })
  )

describe("the report of a project", () => {
  it.effect("begins as the user named the project, aligned, with all problems of all files", () =>
    Effect.gen(function* () {
      const root = yield* folder({
        "config.yaml": "models: [mock:a]\nrun:\n  trials: 1\n\n\n\n\n\n\n\nconstraint: {min_accuracy: 1}\n",
        "tests.yaml": "- id: refund_2\n  input: a\n- id: refund_2\n  input: b\n"
      })
      const { message } = yield* Effect.flip(loadFrom(root))
      assert.deepStrictEqual(message.split("\n"), [
        `${root}/config.yaml:11:1  unknown key "constraint" (did you mean "constraints"?)`,
        `${root}/tests.yaml:3:3    case "refund_2": duplicate id, first defined at tests.yaml:1:3`
      ])
    })
  )

  it.effect("shows relative paths for a project named by a relative path", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(loadFrom("test/fixtures/no_such_project"))
      assert.strictEqual(
        message,
        "test/fixtures/no_such_project  cannot be opened as a project: there is no such file or folder (name a project folder, or make one with: arena init)"
      )
    })
  )
})

describe("values that do not fit", () => {
  wrong(
    "numbers",
    `${models}run: {trials: three, concurrency: 0, retries: 1.5, timeout_s: "60", seed: 1e40}\n`,
    'config.yaml:2:15  run.trials: expected a whole number >= 1, got "three"',
    "config.yaml:2:35  run.concurrency: expected a whole number >= 1, got 0",
    "config.yaml:2:47  run.retries: expected a whole number >= 0, got 1.5",
    'config.yaml:2:63  run.timeout_s: expected a number >= 0, got "60" (remove the quotes)',
    "config.yaml:2:75  run.seed: expected a whole number, got 1e+40"
  )
  wrong(
    "booleans, and words that YAML once took for them",
    `${models}run: {fail_fast: yes}\nbudgets: {allow_unpriced: 1}\n`,
    'config.yaml:2:18  run.fail_fast: expected true or false, got "yes" (write true or false)',
    "config.yaml:3:27  budgets.allow_unpriced: expected true or false, got 1"
  )
  wrong(
    "text that is a number",
    "models: [{model: m, label: 4}]\nproject: 2024\n",
    "config.yaml:1:28  models[0].label: expected text, got 4 (put it in quotes)",
    "config.yaml:2:10  project: expected a text that is not empty, got 2024 (put it in quotes)"
  )
  wrong(
    "words of a list",
    `${models}budgets: {on_exceed: stopp}\noutput: {formats: [markdown, jsn]}\n`,
    'config.yaml:2:22  budgets.on_exceed: expected one of stop, warn, got "stopp" (did you mean "stop"?)',
    'config.yaml:3:30  output.formats[1]: expected one of markdown, md, json, csv, html, junit, got "jsn" (did you mean "json"?)'
  )
  wrong(
    "ranges",
    `${models}constraints: {min_accuracy: 80}\nstatistics: {confidence: 0.5, resamples: 99}\nwatch: {drift_threshold: 1}\n`,
    "config.yaml:2:29  constraints.min_accuracy: expected a number from 0 to 1, got 80",
    "config.yaml:3:26  statistics.confidence: expected a number above 0.5 and below 1, got 0.5",
    "config.yaml:3:42  statistics.resamples: expected a whole number >= 100, got 99",
    "config.yaml:4:26  watch.drift_threshold: expected a number above 0 and below 1, got 1"
  )
  wrong(
    "kinds of values",
    "models: {a: 1}\nrun: [1]\nmetrics: 5\n",
    "config.yaml:1:9  models: expected a list of models, got a mapping",
    "config.yaml:2:6  run: expected a mapping, got a list",
    "config.yaml:3:10  metrics: expected a mapping, got 5"
  )
  wrong("a config that is a list", "- a\n", "config.yaml:1:1  expected a mapping, got a list")
  wrong(
    "unknown keys anywhere, without guessing when nothing is near",
    `${models}targts: []\nproviders: [{id: a, kind: openai, rate_limit: {rps: 3}}]\nzzzzzz: 1\n`,
    'config.yaml:2:1  unknown key "targts" (did you mean "targets"?)',
    'config.yaml:3:48  unknown key "rps" (did you mean "rpm"?)',
    'config.yaml:4:1  unknown key "zzzzzz"'
  )
})

describe("settings with several names", () => {
  wrong(
    "must agree",
    `${models}project: a\nname: b\nrun: {timeout_s: 3, request_timeout_s: 4}\n`,
    'config.yaml:3:1  "name" and "project" are two names of one setting, here with different values (keep one of them)',
    'config.yaml:4:7  "timeout_s" and "request_timeout_s" are two names of one setting, here with different values (keep one of them)'
  )
  it.effect("may repeat themselves", () =>
    Effect.gen(function* () {
      const root = yield* folder({ "config.yaml": `${models}project: a\nname: a\n`, "tests.yaml": cases })
      assert.strictEqual((yield* loadFrom(root)).name, "a")
    })
  )
  wrong(
    "nested and flat forms, too",
    `${models}constraints: {privacy: {required: [dpa]}, privacy_required: [zdr]}\nmetrics: {cost: {target: 1}, targets: {cost: 2}}\n`,
    "config.yaml:2:61  constraints.privacy_required: constraints.privacy.required says something else (keep one of them)",
    "config.yaml:3:26  metrics.cost.target: metrics.targets.cost says something else (keep one of them)"
  )
})

describe("contestants", () => {
  wrong(
    "none at all",
    "project: a\n",
    "config.yaml:1:1  there is no contestant (add at least one entry to models or targets)"
  )
  wrong(
    "keys given twice",
    "models: [mock:a, {key: b, model: mock:b}]\ntargets: [{key: b, url: 'https://example.org'}]\n",
    'config.yaml:2:11  duplicate key "b", first defined at config.yaml:1:18 (give one of them another key)'
  )
  wrong(
    "providers that do not exist",
    "providers: [{id: mine, kind: openai}]\nmodels: [{model: a, provider: antropic}, {model: b, provider: mime}]\n",
    'config.yaml:2:31  models[0].provider: unknown provider "antropic" (did you mean "anthropic"?)',
    'config.yaml:2:63  models[1].provider: unknown provider "mime" (did you mean "mine"?)'
  )
  wrong(
    "entries that name nothing, or two things",
    "models:\n  - {label: x}\n  - {command: [a], url: 'https://example.org'}\n  - {model: m, body: {}}\n",
    "config.yaml:2:5  models[0]: model is missing (or give run, command or url)",
    'config.yaml:3:5  models[1]: only one of "run", "command" and "url" may be given',
    'config.yaml:4:16  "body" has no effect without "url"'
  )
  wrong(
    "functions that cannot be found",
    "targets: [{run: pipeline.py:f}, {run: pipeline.ts}, {run: 'pipeline.ts:f'}, {run: 'a:b c'}]\n",
    'config.yaml:1:17  targets[0].run: "pipeline.py:f" is a Python function, which cannot be called from here (rewrite it in TypeScript, or start it with command: [python3, FILE])',
    'config.yaml:1:39  targets[1].run: expected the name of a function, got "pipeline.ts" (write "file.ts:function" or "package:function")',
    'config.yaml:1:59  targets[2].run: "pipeline.ts": there is no such file or folder (present: config.yaml, tests.yaml)',
    'config.yaml:1:83  targets[3].run: expected the name of a function, got "a:b c" (write "file.ts:function" or "package:function")'
  )
  wrong(
    "commands that need a shell, addresses that are none",
    "targets: [{command: 'a | b'}, {command: \"x 'y\"}, {command: []}, {url: 'ftp://a'}]\n",
    'config.yaml:1:21  targets[0].command: there is no shell that would understand "|" (write command: [sh, -c, "…"])',
    "config.yaml:1:41  targets[1].command: the quotation mark ' is not closed",
    "config.yaml:1:60  targets[2].command: expected a program and its arguments, got nothing (write command: [program, argument])",
    'config.yaml:1:71  targets[3].url: expected an http or https address, got "ftp://a"'
  )
  wrong(
    "are counted in their own list",
    "models: [mock:a]\ntargets: [mock:b, 42]\n",
    "config.yaml:2:19  targets[1]: expected a model id or a mapping, got 42"
  )
})

describe("providers", () => {
  wrong(
    "need an id and a known kind",
    `${models}providers:\n  - {base_url: 'http://a'}\n  - {id: x, kind: opnai}\n  - {name: x, type: ai-sdk}\n`,
    "config.yaml:3:5  providers[0]: id is missing",
    "config.yaml:3:5  providers[0]: kind is missing (write kind: KIND with KIND one of mock, anthropic, openai, google, openai_compatible, azure, bedrock, mistral, groq, xai, deepseek, openrouter, cohere, ai-sdk, gemini, local, ollama, lmstudio, llamacpp, vllm, callable, command, url, pipeline)",
    'config.yaml:4:19  providers[1].kind: unknown kind "opnai" (did you mean "openai"?)',
    'config.yaml:5:5  providers[2]: kind: ai-sdk needs the name of an npm package (add package: "@scope/provider")',
    'config.yaml:5:5  providers[2]: duplicate id "x", first defined at config.yaml:4:5'
  )
  wrong(
    "know their kinds of references",
    `${models}providers: [{id: a, kind: openai, api_key: '\${vault:x}', verify: ca.pem, timeout_s: 0}]\n`,
    `config.yaml:2:44  providers[0].api_key: unknown kind of reference "\${vault:…}" (known: env, file, keyring, cmd)`,
    'config.yaml:2:66  providers[0].verify: "ca.pem": there is no such file or folder (present: config.yaml, tests.yaml)',
    "config.yaml:2:85  providers[0].timeout_s: expected a number > 0, got 0"
  )
})

describe("metrics", () => {
  wrong(
    "weights that are all 0",
    `${models}metrics: {weights: {accuracy: 0}}\n`,
    "config.yaml:2:20  metrics.weights: at least one weight must be above 0"
  )
  wrong(
    "negative weights, targets that are missing",
    `${models}metrics: {weights: {accuracy: -1}, cost: {normalize: budget}}\n`,
    "config.yaml:2:31  metrics.weights.accuracy: expected a number >= 0, got -1",
    "config.yaml:2:42  metrics.cost: normalize: budget needs a target (add target: NUMBER to metrics.cost)"
  )
  wrong(
    "a misspelt key is told once, however much stands in it",
    `${models}metrics: {weigths: {accuracy: 1, cost: 2}}\n`,
    'config.yaml:2:11  unknown key "weigths" (did you mean "weights"?)'
  )
  wrong(
    "a metric that is nearly one of the weights",
    `${models}metrics: {weights: {accuracy: 1, brevty: 1}, brevity: {direction: max}}\n`,
    'config.yaml:2:46  the metric "brevity" is neither built in nor weighted (did you mean "brevty"?)'
  )
  wrong(
    "a metric whose name is nearly a key is still a metric",
    `${models}metrics: {weights: {target: 1}, target: {direction: up}}\n`,
    'config.yaml:2:53  metrics.target.direction: expected one of max, min, higher, lower, got "up"'
  )
  wrong(
    "names that are nearly a key",
    `${models}metrics: {tie_braker: {direction: min}}\n`,
    'config.yaml:2:11  unknown key "tie_braker" (did you mean "tie_breaker"?)'
  )
})

describe("other places", () => {
  wrong(
    "hooks",
    `${models}hooks: {post_proces: 'a.ts:b'}\n`,
    'config.yaml:2:9  unknown key "post_proces" (did you mean "post_process"?)'
  )
  it.effect("price files are checked like the config", () =>
    Effect.gen(function* () {
      const files = {
        "config.yaml": `${models}pricing: prices.yaml\n`,
        "prices.yaml": "as_of: 2026-01-01\nm:\n  input: cheap\n  inptu: 1\n"
      }
      assert.deepStrictEqual(yield* problems(files), [
        'prices.yaml:3:10  m.input: expected a number >= 0, got "cheap"',
        'prices.yaml:4:3  unknown key "inptu" (did you mean "input"?)'
      ])
      assert.deepStrictEqual(
        yield* problems({ "config.yaml": `${models}pricing: {path: price.yaml}\n`, "prices.yaml": "" }),
        ['config.yaml:2:17  pricing.path: "price.yaml": there is no such file or folder (did you mean "prices.yaml"?)']
      )
    })
  )
  it.effect("scorer modules must exist and be modules", () =>
    Effect.gen(function* () {
      const files = {
        "config.yaml": `${models}scorers: {paths: [mine.py, nothing, empty]}\n`,
        "mine.py": "",
        "empty/a.txt": ""
      }
      assert.deepStrictEqual(yield* problems(files), [
        'config.yaml:2:19  scorers.paths[0]: "mine.py": not a module (scorers are written in TypeScript or JavaScript)',
        'config.yaml:2:28  scorers.paths[1]: "nothing": there is no such file or folder (present: config.yaml, empty, mine.py, tests.yaml)',
        'config.yaml:2:37  scorers.paths[2]: "empty": the folder holds no module (.ts, .js)'
      ])
    })
  )
})

describe("documents that cannot be parsed", () => {
  wrong(
    "tabs",
    "models:\n\t- a\n",
    "config.yaml:2:1  not valid YAML: a tab is used for indentation (YAML is indented with spaces)"
  )
  wrong(
    "duplicate keys",
    `${models}run: {trials: 1}\nrun: {trials: 2}\n`,
    'config.yaml:3:1  duplicate key "run", first defined at config.yaml:2:1'
  )
  it.effect("numbers that no computer holds and duplicate keys do not hide the rest", () =>
    Effect.gen(function* () {
      const config = `${models}run: {max_wall_s: .inf, trials: 0, drain_s: 1, drain_s: 2}\n`
      assert.deepStrictEqual(yield* problems({ "config.yaml": config }), [
        "config.yaml:2:19  .inf is not a number that can be worked with",
        "config.yaml:2:33  run.trials: expected a whole number >= 1, got 0",
        'config.yaml:2:48  duplicate key "drain_s", first defined at config.yaml:2:36'
      ])
    })
  )
  wrong(
    "a brace that is not closed, once for all the braces around it",
    "models:\n  - {key: a, params: {mode: flaky\nrun: {}\n",
    'config.yaml:3:1  not valid YAML: a "{" above is not closed (add the "}", or indent the lines that belong to it)'
  )
  wrong(
    "a bracket that is not closed",
    "models: [a, b\nrun: {}\n",
    'config.yaml:2:1  not valid YAML: a "[" above is not closed (add the "]", or indent the lines that belong to it)'
  )
  wrong(
    "two documents",
    "a: 1\n---\nb: 1\n",
    "config.yaml:3:1  more than one YAML document in the file (remove the line ---)"
  )
  wrong(
    "tags",
    "models: [!!python/object x]\n",
    "config.yaml:1:10  not valid YAML: tags are not supported (remove the word that starts with !)"
  )
  it.effect("JSON with what is wrong and where", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problems({ "config.json": '{\n  "models": ["mock:a",]\n}' }), [
        'config.json:2:23  not valid JSON: expected a value, got "]"'
      ])
      assert.deepStrictEqual(
        yield* problems({ "config.json": '{"models": ["mock:a"], "run": {"trials": 1, "trials": 2}}' }),
        ['config.json:1:45  duplicate key "trials", first defined at config.json:1:32']
      )
      assert.deepStrictEqual(yield* problems({ "config.json": '{"models": ["mock:a"], "run": {"trials": "x"}}' }), [
        'config.json:1:42  run.trials: expected a whole number >= 1, got "x"'
      ])
    })
  )
})
