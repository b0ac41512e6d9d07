import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import type { ConnectorConfig } from "@agent-arena/core/connector/Connector"
import type { ContestantSource } from "@agent-arena/core/domain/Contestant"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { json, loopback, type Received } from "./loopback.ts"
import { cellOf, configOf, connectorOf, readyConnector, requestOf } from "./requests.ts"

type UrlFields = Partial<Omit<Extract<ContestantSource, { readonly _tag: "Url" }>, "_tag">>

const urlConfig = (url: string, fields: UrlFields = {}, config: Partial<ConnectorConfig> = {}) =>
  configOf({
    kind: "url",
    model: url,
    source: { _tag: "Url", url, headers: {}, body: null, responsePath: null, ...fields },
    ...config
  })

const post = (url: string, fields: UrlFields = {}, cell: Parameters<typeof cellOf>[0] = {}) =>
  Effect.flatMap(readyConnector(urlConfig(url, fields)), (connector) =>
    connector.generate(requestOf("hello", { system: "Be brief", params: { k: 3 } }), cellOf(cell))
  )

/** A server that sends one thing, whatever it is asked. */
const serverOf = (send: (response: ServerResponse, request: Received) => void) =>
  loopback((request, response) => send(response, request))

const failureOf = (send: (response: ServerResponse, request: Received) => void, fields: UrlFields = {}) =>
  Effect.flatMap(serverOf(send), ({ origin }) => Effect.flip(post(origin, fields)))

/** How a project refers to a variable. */
const reference = (name: string) => `\${env:${name}}`

describe("what is sent", () => {
  it.effect("the request as JSON, without the reference", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      yield* post(`${server.origin}/ask`, {}, { reference: "hidden", trial: 2 })
      const [sent] = server.received
      assert.strictEqual(sent?.method, "POST")
      assert.strictEqual(sent?.url, "/ask")
      assert.strictEqual(sent?.headers["content-type"], "application/json")
      assert.deepStrictEqual(JSON.parse(sent?.body ?? ""), {
        prompt: "hello",
        messages: [{ role: "user", content: "hello" }],
        system: "Be brief",
        params: { k: 3 },
        case_id: "t1",
        trial: 2
      })
    })
  )

  it.effect("the body of the project, its placeholders filled", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      const body = {
        input: { query: "Q: {{ prompt }} ({{case_id}}/{{trial}})", history: ["{{messages}}"] },
        options: "{{params}}",
        template: "{{mustache.of.theirs}}",
        n: 5,
        none: "{{temperature}}"
      }
      yield* post(server.origin, { body })
      assert.deepStrictEqual(JSON.parse(server.received[0]?.body ?? ""), {
        input: { query: "Q: hello (t1/1)", history: [[{ role: "user", content: "hello" }]] },
        options: { k: 3 },
        template: "{{mustache.of.theirs}}",
        n: 5,
        none: null
      })
    })
  )

  it.effect("headers with variables in them, which become secrets", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      const headers = { Authorization: `Bearer ${reference("TOKEN")}`, "X-Api-Key": "literal-key", "X-Team": "blue" }
      const config = urlConfig(server.origin, { headers }, { env: { TOKEN: "t0ken-value" } })
      const connector = yield* readyConnector(config)
      yield* connector.generate(requestOf("?"), cellOf())
      const sent = server.received[0]?.headers
      assert.strictEqual(sent?.["authorization"], "Bearer t0ken-value")
      assert.strictEqual(sent?.["x-team"], "blue")
      const secrets = connector.secrets.map(Redacted.value)
      assert.includeMembers(secrets, ["t0ken-value", "literal-key"])
      assert.notInclude(secrets, "blue")
    })
  )

  it.effect("credentials of the address as a header", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      const connector = yield* readyConnector(urlConfig(server.origin.replace("//", "//me:p%40ss@")))
      yield* connector.generate(requestOf("?"), cellOf())
      assert.strictEqual(server.received[0]?.headers.authorization, `Basic ${btoa("me:p@ss")}`)
      assert.include(connector.secrets.map(Redacted.value), "p@ss")
    })
  )
})

describe("what must not be said", () => {
  const key = "sk-planted-0123456789-abcdefghijklmnop"

  it.effect("a secret that a reply repeats, even where its error is cut to length", () =>
    Effect.gen(function* () {
      // The key stands where the words of an error end.
      const words = `${"x".repeat(480)} Bearer ${key}`
      const server = yield* serverOf((response) => json(response, { error: { message: words } }, 401))
      const connector = yield* readyConnector(urlConfig(server.origin, { headers: { Authorization: `Bearer ${key}` } }))
      const error = yield* Effect.flip(connector.generate(requestOf("?"), cellOf()))
      assert.notInclude(error.detail, "sk-planted")
      assert.include(error.detail, "x ***")
    })
  )

  it.effect("a secret in a reply that is not the promised JSON", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) =>
        response.writeHead(200, { "content-type": "text/html" }).end(`${"y".repeat(100)} ${key}`)
      )
      const url = `${server.origin}/ask?api_key=${key}`
      const connector = yield* readyConnector(urlConfig(url))
      const error = yield* Effect.flip(connector.generate(requestOf("?"), cellOf()))
      assert.strictEqual(server.received[0]?.url, `/ask?api_key=${key}`)
      assert.notInclude(error.detail, "sk-planted")
    })
  )

  it.effect("the value of a variable that makes no address", () =>
    Effect.gen(function* () {
      const config = urlConfig(reference("TARGET"), {}, { env: { TARGET: `htp:/me:${key}@host` } })
      const error = yield* Effect.flip(connectorOf(config))
      assert.include(error.message, reference("TARGET"))
      assert.notInclude(error.message, "sk-planted")
    }).pipe(Effect.scoped)
  )

  it.effect("nothing of credentials that are not encoded properly, which are taken as they are", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      const connector = yield* readyConnector(urlConfig(server.origin.replace("//", "//me:100%secure@")))
      yield* connector.generate(requestOf("?"), cellOf())
      assert.strictEqual(server.received[0]?.headers.authorization, `Basic ${btoa("me:100%secure")}`)
      assert.include(connector.secrets.map(Redacted.value), "100%secure")
    })
  )
})

describe("what is read", () => {
  it.effect("the form of a target, a JSON text, or plain text", () =>
    Effect.gen(function* () {
      const full = { answer: "42", input_tokens: 3, output_tokens: 1, cost_usd: 0.01, latency_ms: 7 }
      const server = yield* loopback(({ url }, response) => {
        if (url === "/full") json(response, full, 200, { "x-request-id": "req-1" })
        if (url === "/text") json(response, "just this")
        if (url === "/plain") response.writeHead(200, { "content-type": "text/plain" }).end("plain words")
        if (url === "/gzip") {
          const packed = gzipSync(JSON.stringify({ output: "unpacked" }))
          response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(packed)
        }
      })
      const answer = yield* post(`${server.origin}/full`)
      assert.strictEqual(answer.text, "42")
      assert.deepStrictEqual(
        [answer.usage.prompt, answer.usage.completion, answer.costUsd, answer.latencyMs, answer.requestId],
        [3, 1, 0.01, 7, "req-1"]
      )
      assert.strictEqual((yield* post(`${server.origin}/text`)).text, "just this")
      assert.strictEqual((yield* post(`${server.origin}/plain`)).text, "plain words")
      assert.strictEqual((yield* post(`${server.origin}/gzip`)).text, "unpacked")
    })
  )

  it.effect("what stands at the response path, with the usage the reply reports", () =>
    Effect.gen(function* () {
      const reply = {
        choices: [{ message: { content: "found" } }, { "odd.key": { n: 7 } }],
        usage: { prompt_tokens: 11, completion_tokens: "many" },
        metrics: "none of ours"
      }
      const server = yield* serverOf((response) => json(response, reply))
      const at = (responsePath: string) => post(server.origin, { responsePath })
      const answer = yield* at("choices[0].message.content")
      assert.strictEqual(answer.text, "found")
      assert.deepStrictEqual([answer.usage.prompt, answer.usage.completion, answer.costUsd], [11, null, null])
      assert.strictEqual((yield* at("$.choices.0.message.content")).text, "found")
      assert.strictEqual((yield* at('choices[1]["odd.key"].n')).text, "7")
      assert.strictEqual((yield* at("choices[1]")).text, '{"odd.key":{"n":7}}')
      const nothing = yield* Effect.flip(at("choices[2].message"))
      assert.strictEqual(nothing.reason, "malformed_response")
      assert.include(nothing.detail, "an object with choices, usage, metrics")
    })
  )

  it.effect("anything else is a malformed reply", () =>
    Effect.gen(function* () {
      const page = yield* failureOf((response) =>
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Please log in</html>")
      )
      assert.strictEqual(page.reason, "malformed_response")
      assert.include(page.detail, "text/html")
      const broken = yield* failureOf((response) =>
        response.writeHead(200, { "content-type": "application/json" }).end('{"output": ')
      )
      assert.strictEqual(broken.reason, "malformed_response")
      const other = yield* failureOf((response) => json(response, { result: 1 }))
      assert.deepStrictEqual([other.reason, other.detail.includes("response_path")], ["malformed_response", true])
    })
  )

  it.effect("a reply without end is cut, also when it is packed", () =>
    Effect.gen(function* () {
      const endless = yield* failureOf((response) => {
        const chunk = Buffer.alloc(64 * 1024, "x")
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.writeHead(200, { "content-type": "text/plain" })
        response.on("drain", more)
        more()
      })
      assert.deepStrictEqual([endless.reason, endless.detail], ["malformed_response", "the reply is larger than 10 MB"])
      const packed = gzipSync(Buffer.alloc(50 * 1024 * 1024))
      const bomb = yield* failureOf((response) =>
        response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(packed)
      )
      assert.strictEqual(bomb.detail, "the reply is larger than 10 MB")
    })
  )
})

describe("failures", () => {
  it.effect("a status is mapped with the server's words, Retry-After and request id", () =>
    Effect.gen(function* () {
      const limited = yield* failureOf((response) =>
        json(response, { error: { message: "slow  down" } }, 429, { "retry-after": "2", "x-request-id": "req-9" })
      )
      assert.deepStrictEqual(
        [limited.reason, limited.status, limited.detail, limited.retryAfterMs, limited.requestId],
        ["rate_limited", 429, "slow down", 2000, "req-9"]
      )
      const down = yield* failureOf((response) => response.writeHead(503).end("<h1>down</h1>"))
      assert.deepStrictEqual([down.reason, down.isRetryable], ["overloaded", true])
      const refused = yield* failureOf((response) => json(response, { detail: "bad key" }, 401))
      assert.deepStrictEqual(
        [refused.reason, refused.detail, refused.isRetryable],
        ["authentication", "bad key", false]
      )
    })
  )

  it.effect("a connection that is refused, dropped, or broken off says which", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(
        Effect.map(
          serverOf(() => {}),
          ({ origin }) => origin
        )
      )
      const refused = yield* Effect.flip(post(closed))
      assert.deepStrictEqual([refused.reason, refused.isRetryable], ["connection", true])
      const dropped = yield* failureOf((response) => response.destroy())
      assert.strictEqual(dropped.reason, "connection")
      const truncated = yield* failureOf((response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
        response.write('{"output": "ha', () => response.destroy())
      })
      assert.deepStrictEqual([truncated.reason, truncated.isRetryable], ["truncated", true])
    })
  )

  it.effect("redirects stay on the host and keep the method, or are refused", () =>
    Effect.gen(function* () {
      const other = yield* serverOf((response) => json(response, { output: "elsewhere" }))
      const server = yield* loopback(({ url }, response) => {
        if (url === "/moved") response.writeHead(307, { location: "/new" }).end()
        if (url === "/new") json(response, { output: "arrived" })
        if (url === "/away") response.writeHead(307, { location: other.origin }).end()
        if (url === "/get") response.writeHead(302, { location: "/new" }).end()
        if (url === "/loop") response.writeHead(308, { location: "/loop" }).end()
      })
      assert.strictEqual((yield* post(`${server.origin}/moved`)).text, "arrived")
      assert.deepInclude(JSON.parse(server.received[1]?.body ?? ""), { prompt: "hello" })
      for (const [path, words] of [
        ["/away", other.origin],
        ["/get", "with a GET"],
        ["/loop", "more than 3 redirects"]
      ] as const) {
        const error = yield* Effect.flip(post(server.origin + path))
        assert.deepStrictEqual([error.reason, error.isRetryable], ["invalid_request", false], path)
        assert.include(error.detail, words)
      }
      assert.lengthOf(other.received, 0)
    })
  )

  it.effect("a wrong entry is refused when the connector is built", () =>
    Effect.gen(function* () {
      const words = (url: string, fields: UrlFields = {}) =>
        Effect.map(Effect.flip(connectorOf(urlConfig(url, fields))), (error) => error.message)
      assert.include(yield* words("localhost/ask"), "is not a URL")
      assert.include(yield* words("ftp://localhost/ask"), "neither an http")
      assert.include(yield* words("http://localhost", { responsePath: "a..b" }), 'response_path "a..b"')
      assert.include(yield* words("http://localhost", { body: { q: ["{{promt}}"] } }), "{{prompt}}")
      const headers = { authorization: reference("ARENA_UNSET") }
      assert.include(yield* words("http://localhost", { headers }), "ARENA_UNSET")
    })
  )
})

describe("connections", () => {
  it.live("interruption closes the connection, before and while the reply arrives", () =>
    Effect.gen(function* () {
      for (const isAnswering of [false, true]) {
        const asked = yield* Deferred.make<void>()
        const gone = yield* Deferred.make<void>()
        const server = yield* serverOf((response) => {
          response.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
          if (isAnswering) response.writeHead(200, { "content-type": "text/plain" }).write("a beginning")
          Deferred.doneUnsafe(asked, Effect.void)
        })
        const fiber = yield* Effect.forkChild(post(server.origin))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(gone)
      }
    })
  )

  it.live("the end of the connector's scope closes what was kept open", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      const scope = yield* Scope.make()
      const connector = yield* Scope.provide(readyConnector(urlConfig(server.origin)), scope)
      yield* connector.generate(requestOf("?"), cellOf())
      const [socket] = server.sockets
      assert.isDefined(socket)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.callback<void>((resume) => {
        if (socket === undefined || socket.closed) resume(Effect.void)
        else socket.once("close", () => resume(Effect.void))
      })
      assert.strictEqual(server.sockets.size, 0)
    })
  )

  it.live("the health check connects and sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* serverOf((response) => json(response, { output: "ok" }))
      const ready = yield* readyConnector(urlConfig(server.origin))
      assert.strictEqual(yield* ready.healthCheck, null)
      assert.lengthOf(server.received, 0)
      const closed = yield* Effect.scoped(
        Effect.map(
          serverOf(() => {}),
          ({ origin }) => origin
        )
      )
      const gone = yield* readyConnector(urlConfig(closed))
      assert.include(yield* gone.healthCheck, `${closed} cannot be reached`)
    })
  )
})
