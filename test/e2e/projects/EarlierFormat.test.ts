/** A project in the older, plainer form: `models`, `tests`, `metrics` and `constraints`, and nothing else. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { build, folders } from "../cli/arena.ts"
import { entryOf, runProject } from "./ExampleRun.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

/** Written with the names of old: ids for keys, flat and nested constraints, a mapping of cases with defaults. */
const files = {
  "config.yaml": `models:
  - id: mock:small
    params: { mode: oracle, latency_ms: 100 }
    card: { input: 1, output: 5, features: [streaming], privacy: { training_opt_out: true } }
  - name: mock:echo
    card: { input: 1, output: 5, features: [streaming], privacy: { training_opt_out: true } }
  - key: bare
    model: mock:bare
    params: { mode: fixed, text: Lima }
    card: { input: 1, output: 5, features: [batch], privacy: { training_opt_out: false } }
tests:
  paths: [capitals.json, sums.jsonl]
  exclude_tags: draft
metrics:
  weights: { accuracy: 6, cost: 2, latency: 2 }
  tie_breaker: accuracy
  cost: { budget_usd_per_1k_calls: 5 }
  latency: { normalize: target, target_ms: 2000 }
constraints:
  min_accuracy: 0.1
  privacy: { required: [training_opt_out] }
  deployment: { required_features: streaming }
`,
  "capitals.json": JSON.stringify({
    defaults: { eval_type: "exact_match", instructions: "Answer with a name." },
    test_cases: [
      { name: "peru", question: "Capital of Peru?", answer: "Lima" },
      { prompt: "Capital of Chad?", gold: ["N'Djamena", "Ndjamena"] },
      { id: "later", input: "Capital of Nauru?", expected: null, tags: ["draft"] }
    ]
  }),
  "sums.jsonl": `// one case a line
{"input": [{"role": "user", "content": "2 + 2?"}], "target": 4, "evaluator": "numeric", "options": {"abs_tol": 0}}

{"text": "Say nothing.", "reference": "nothing", "scorer": "contains", "weight": 2}
`
}

describe("a project in the older format", () => {
  it("loads and runs unchanged", async () => {
    const { report } = await runProject(make(files), make(), ["--no-report"])
    assert.deepInclude(report, { status: "completed", planned: 3 * 4, errors: 0 })
    assert.deepStrictEqual(report.leaderboard.weights, { accuracy: 0.6, cost: 0.2, latency: 0.2 })
    assert.sameMembers(
      report.results.filter(({ model_key: key }) => key === "mock:small").map(({ test_id: id }) => id),
      ["peru", "capitals-002", "sums-001", "sums-002"]
    )
    const oracle = entryOf(report, "mock:small")
    assert.strictEqual(oracle.metrics["accuracy"]?.raw, 1)
    assert.closeTo(oracle.metrics["latency"]?.normalized ?? -1, 1 - 100 / 2000, 1e-9)
    // Weights 1, 1, 1 and 2: the echo says back "Say nothing.", in which "nothing" is.
    assert.closeTo(entryOf(report, "mock:echo").metrics["accuracy"]?.raw ?? -1, 2 / 5, 1e-9)
    const bare = entryOf(report, "bare")
    assert.strictEqual(bare.status, "disqualified")
    assert.match(bare.failures.join("; "), /streaming.*training_opt_out|training_opt_out.*streaming/)
  })
})
