import { existsSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { arena, cases, document, folders, noted } from "./arena.ts"

const { clean, make } = folders()
const servers: Array<Server> = []
afterAll(() => {
  clean()
  for (const server of servers) server.close()
})

/** A server that speaks the chat protocol, and accepts only one key. */
const chatServer = async () => {
  const asked: Array<string> = []
  const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }
  const choices = [{ index: 0, delta: { role: "assistant", content: "OK" }, finish_reason: "stop" }]
  const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "small-1", choices, usage }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === "GET") {
      response.writeHead(200).end(`{"data":[{"id":"small"}]}`)
      return
    }
    asked.push(request.url ?? "")
    if (request.headers.authorization === "Bearer right") {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    } else {
      response.writeHead(401).end(`{"error":{"message":"no"}}`)
    }
  }
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

const project = (config: string, files: Readonly<Record<string, string>> = {}) =>
  make({ "config.yaml": `project: ill\n${config}`, "tests.yaml": cases(2), ...files })

describe("arena doctor", () => {
  it("tells of each contestant what is missing and what to do, and fails", async () => {
    const folder = project(`models:
  - { key: right, model: "mock:right", params: { mode: oracle } }
  - { key: hosted, model: gpt-5-mini, api_key_env: NO_SUCH_KEY_FOR_ARENA }
  - { key: off, model: "mock:off", enabled: false }
judge: { model: gpt-5-nano, api_key_env: NO_JUDGE_KEY_FOR_ARENA }
`)
    const told = await arena("doctor", folder)
    assert.strictEqual(told.code, 1)
    assert.match(told.stdout, /^✓ right {2}mock:right, mock$/m)
    assert.match(told.stdout, /^✗ hosted {2}gpt-5-mini, openai\n {4}.*NO_SUCH_KEY_FOR_ARENA is not set \(export /m)
    assert.match(told.stdout, /^✗ the judge {2}gpt-5-nano, openai\n {4}.*NO_JUDGE_KEY_FOR_ARENA/m)
    assert.match(told.stdout, /^· off {2}disabled$/m)
    assert.match(told.stdout, /1 would run, 2 would not/)
  })

  it("tells all of them even when nobody could run, and every problem of the data", async () => {
    const folder = project(`models: [{ key: hosted, model: gpt-5-mini, api_key_env: NO_SUCH_KEY_FOR_ARENA }]\n`, {
      "tests.yaml": "tests: [{ id: a, input: q, eval_type: regex, expected: '(' }]\n"
    })
    const told = await arena("doctor", folder, "--json")
    assert.strictEqual(told.code, 1)
    const { contestants, ok, problems } = JSON.parse(told.stdout)
    assert.isFalse(ok)
    assert.deepInclude(contestants[0], { key: "hosted", ready: false })
    assert.lengthOf(problems, 1)
    assert.strictEqual(problems[0].line, 1)
  })

  it("makes a real call only when asked to, and tells how it went", async () => {
    const { asked, url } = await chatServer()
    process.env["ARENA_RIGHT_KEY"] = "right"
    process.env["ARENA_WRONG_KEY"] = "wrong"
    const folder = project(
      `models:
  - { key: good, model: small, api_base: "${url}", api_key_env: ARENA_RIGHT_KEY }
  - { key: bad, model: small, api_base: "${url}", api_key_env: ARENA_WRONG_KEY }
targets: [{ key: noted, run: "noted.mjs:answer" }]
`,
      { "noted.mjs": noted, "says.txt": "a", "calls.txt": "" }
    )
    assert.strictEqual((await document("doctor", folder)).ok, true)
    assert.lengthOf(asked, 0)
    const live = await arena("doctor", folder, "--live", "--json")
    assert.strictEqual(live.code, 1)
    assert.lengthOf(asked, 2)
    const [good, bad, own] = JSON.parse(live.stdout).contestants
    assert.deepInclude(good.live, { ok: true, input_tokens: 9, output_tokens: 1, served_model: "small-1" })
    assert.isFalse(bad.live.ok)
    assert.match(bad.live.error, /authentication/)
    assert.notInclude(live.stdout, "wrong")
    assert.isTrue(own.live.ok)
    assert.isFalse(existsSync(join(folder, "results")))
  })

  it("lets a target call contestants that take no part themselves", async () => {
    const folder = project(
      `models: [{ key: helper, model: "mock:helper", params: { mode: fixed, text: a }, enabled: false }]
targets: [{ key: chain, run: "chain.mjs:answer" }]
`,
      { "chain.mjs": `export const answer = async (prompt, { generate }) => (await generate("helper", prompt)).text\n` }
    )
    const { contestants, disabled } = await document("doctor", folder, "--live")
    assert.deepStrictEqual(disabled, ["helper"])
    assert.deepInclude(contestants[0].live, { ok: true, error: null })
  })

  it("says when spend could not be held to the budget", async () => {
    const { url } = await chatServer()
    const folder = project(`models: [{ key: own, model: small, api_base: "${url}" }]
budgets: { max_run_usd: 1 }
`)
    const told = await arena("doctor", folder)
    assert.strictEqual(told.code, 1)
    assert.lengthOf(told.stdout.match(/"own" has no price, so its spend cannot be held to the budget/g) ?? [], 1)
    assert.match(told.stdout, /no price is known: add pricing\.models\."small" to the config/)
  })
})

describe("a model without a price", () => {
  it("makes a run ask where budgets.confirm_above_usd is set: nobody knows what it costs", async () => {
    const { asked, url } = await chatServer()
    const folder = project(`models: [{ key: own, model: small, api_base: "${url}" }]
budgets: { confirm_above_usd: 1 }
`)
    const refused = await arena("run", folder, "--no-report", "--quiet")
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stderr, "may cost more than budgets.confirm_above_usd ($1.0000): no price is known of own")
    assert.lengthOf(asked, 0)
    const plan = await arena("run", folder, "--dry-run")
    assert.include(plan.stdout, "cost not known beforehand of own: no price is known")
  })
})
