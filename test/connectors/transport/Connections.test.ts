/** How servers are reached: addresses, proxies, certificates, headers. */
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import * as path from "node:path"
import { listModels } from "@agent-arena/connectors/Connectors"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ask, config, connect, profile, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"

const completion = {
  id: "1",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "refund" }, finish_reason: "stop" }]
}
const answering: LoopbackServer.Handler = (_, response) => LoopbackServer.json(response, 200, completion)

const kind = "openai_compatible"
const through = (fields: Partial<Parameters<typeof profile>[0]>, env: Readonly<Record<string, string>> = {}) => ({
  kind,
  model: "m",
  env,
  profile: profile({ kind, ...fields })
})

describe("an address", () => {
  const forms: ReadonlyArray<readonly [string, string]> = [
    ["", "/v1/chat/completions"],
    ["/", "/v1/chat/completions"],
    ["/v1", "/v1/chat/completions"],
    ["/v1/", "/v1/chat/completions"],
    ["/openai/v1beta", "/openai/v1beta/chat/completions"],
    ["/api/v3", "/api/v3/chat/completions"],
    ["/gateway", "/gateway/v1/chat/completions"],
    ["/v1/chat/completions", "/v1/chat/completions"],
    ["/chat/completions", "/chat/completions"],
    ["/v1?tenant=a%20b", "/v1/chat/completions?tenant=a+b"]
  ]
  it.live("may be written with or without its version, whole, and with a query", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(answering)
      for (const [suffix] of forms) yield* ask(through({ baseUrl: `${server.url}${suffix}` }))
      expect(server.seen.map((one) => one.path)).toEqual(forms.map(([, seen]) => seen))
    }).pipe(Effect.scoped)
  )

  it.live.each(["openai", "anthropic", "google"])("keeps its query on every call of %s", (provider) =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 400, { error: {} }))
      const baseUrl = `${server.url}/v1?tenant=a%20b`
      const env = { OPENAI_API_KEY: testKey, ANTHROPIC_API_KEY: testKey, GOOGLE_GENERATIVE_AI_API_KEY: testKey }
      yield* Effect.flip(ask({ kind: provider, model: "m", env, profile: profile({ kind: provider, baseUrl }) }))
      expect(server.seen.length).toBeGreaterThan(0)
      for (const { path } of server.seen) expect(path).toMatch(/[?&]tenant=a\+b(&|$)/)
    }).pipe(Effect.scoped)
  )

  it.live("with a user name and a password sends them as a header, and never shows the password", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((seen, response) =>
        LoopbackServer.json(response, 403, { error: { message: `${seen.headers.authorization} hunter2-and-more` } })
      )
      const baseUrl = server.url.replace("http://", "http://ann:hunter2-and-more@")
      const error = yield* Effect.flip(ask(through({ baseUrl })))
      const basic = `Basic ${Buffer.from("ann:hunter2-and-more").toString("base64")}`
      expect(server.seen[0]?.headers.authorization).toBe(basic)
      expect(error.message).toContain("***")
      expect(JSON.stringify(error)).not.toContain("hunter2-and-more")
    }).pipe(Effect.scoped)
  )

  it.live("of an entry wins over that of its profile", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(answering)
      yield* ask({ ...through({ baseUrl: "http://127.0.0.1:9" }), apiBase: server.url })
      expect(server.seen.length).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("that is none, or is missing, is found before a run", () =>
    Effect.gen(function* () {
      for (const baseUrl of ["localhost:8000", "ftp://host/v1", "not an address"]) {
        const error = yield* Effect.flip(connect(through({ baseUrl })))
        expect(error).toMatchObject({ _tag: "ConnectorError", suggestion: "write it as https://host/v1" })
      }
      const error = yield* Effect.flip(connect(through({})))
      expect(error.message).toContain("kind openai_compatible needs an address")
    }).pipe(Effect.scoped)
  )
})

describe("headers of a profile", () => {
  it.live("are sent with every request, with their references replaced", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(answering)
      const headers = {
        "x-organisation": Redacted.make("acme"),
        "x-gateway-token": Redacted.make(`Token $\{env:GATEWAY_TOKEN}`)
      }
      const connector = yield* connect(through({ baseUrl: server.url, headers }, { GATEWAY_TOKEN: testKey }))
      yield* connector.healthCheck
      yield* ask(through({ baseUrl: server.url, headers }, { GATEWAY_TOKEN: testKey }))
      for (const seen of server.seen) {
        expect(seen.headers["x-organisation"]).toBe("acme")
        expect(seen.headers["x-gateway-token"]).toBe(`Token ${testKey}`)
      }
      expect(server.seen.length).toBe(2)
      expect(connector.secrets.map(Redacted.value)).toContain(testKey)
      expect(connector.secrets.map(Redacted.value)).not.toContain("acme")
    }).pipe(Effect.scoped)
  )

  it.live("that name a variable which is not set are found before a run", () =>
    Effect.gen(function* () {
      const headers = { "x-token": Redacted.make(`$\{env:GATEWAY_TOKEN}`) }
      const error = yield* Effect.flip(connect(through({ baseUrl: "http://127.0.0.1:9", headers })))
      expect(error).toMatchObject({ _tag: "ConnectorError", detail: "GATEWAY_TOKEN is not set" })
    }).pipe(Effect.scoped)
  )
})

/** A proxy that tunnels, and remembers where to. */
const startProxy = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly targets: Array<string>
    readonly authorizations: Array<string | undefined>
    readonly stop: () => void
  }>((resume) => {
    const targets: Array<string> = []
    const authorizations: Array<string | undefined> = []
    const sockets = new Set<net.Socket>()
    const server = http.createServer((request, response) => {
      targets.push(request.url ?? "")
      authorizations.push(request.headers["proxy-authorization"])
      const target = new URL(request.url ?? "")
      if (target.hostname !== "127.0.0.1") {
        response.writeHead(502).end()
        return
      }
      const onward = http.request(target, { method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on("error", () => response.destroy())
      request.pipe(onward)
    })
    server.on("connect", (request, socket) => {
      targets.push(request.url ?? "")
      authorizations.push(request.headers["proxy-authorization"])
      const [host = "", port = "0"] = (request.url ?? "").split(":")
      if (host !== "127.0.0.1") {
        socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
        return
      }
      const onward = net.connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
        onward.pipe(socket)
        socket.pipe(onward)
      })
      sockets.add(onward)
      onward.on("error", () => socket.destroy())
      socket.on("error", () => onward.destroy())
    })
    server.on("connection", (socket) => sockets.add(socket))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const stop = () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, targets, authorizations, stop }))
    })
  }),
  (proxy) => Effect.sync(proxy.stop)
)

describe("a proxy", () => {
  it.live("of the profile is used, with its credentials", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(answering)
      const proxy = yield* startProxy
      const address = proxy.url.replace("http://", "http://ann:proxy-password-1@")
      const generation = yield* ask(through({ baseUrl: server.url, proxy: address }))
      expect(generation.text).toBe("refund")
      expect(proxy.targets.length).toBe(1)
      expect(proxy.targets[0]).toContain(`127.0.0.1:${server.port}`)
      expect(proxy.authorizations[0]).toBe(`Basic ${Buffer.from("ann:proxy-password-1").toString("base64")}`)
    }).pipe(Effect.scoped)
  )

  it.live("of the environment is used for other machines, but not for servers on this one", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(answering)
      const proxy = yield* startProxy
      const env = { HTTP_PROXY: proxy.url }
      yield* ask(through({ baseUrl: server.url }, env))
      expect(proxy.targets).toEqual([])
      const away = yield* Effect.flip(ask(through({ baseUrl: "http://models.invalid/v1" }, env)))
      expect(away).toMatchObject({ _tag: "GenerationError", isRetryable: true })
      expect(proxy.targets.length).toBe(1)
      expect(proxy.targets[0]).toContain("models.invalid")
    }).pipe(Effect.scoped)
  )

  it.live("is not used for the hosts of NO_PROXY", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(answering)
      const proxy = yield* startProxy
      const fields = { baseUrl: server.url, proxy: proxy.url }
      expect((yield* ask(through(fields, { no_proxy: "example.com,127.0.0.1" }))).text).toBe("refund")
      expect(proxy.targets).toEqual([])
      expect((yield* ask(through(fields, { NO_PROXY: "example.com" }))).text).toBe("refund")
      expect(proxy.targets.length).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be an address is found before a run", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connect(through({ baseUrl: "http://127.0.0.1:9", proxy: "not a proxy" })))
      expect(error).toMatchObject({ _tag: "ConnectorError", detail: "the proxy address is not valid" })
    }).pipe(Effect.scoped)
  )
})

const tlsFolder = path.join(import.meta.dirname, "../support/tls")
const tlsFile = (name: string) => fs.readFileSync(path.join(tlsFolder, name), "utf8")

const startTls = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly server: https.Server }>((resume) => {
    const credentials = { key: tlsFile("server-key.pem"), cert: tlsFile("server.pem") }
    const server = https.createServer(credentials, (request, response) => {
      request.resume()
      request.on("end", () => LoopbackServer.json(response, 200, completion))
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `https://127.0.0.1:${port}`, server }))
    })
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

describe("a certificate of an own authority", () => {
  it.live("is refused, saying what to do", () =>
    Effect.gen(function* () {
      const { url } = yield* startTls
      const error = yield* Effect.flip(ask(through({ baseUrl: url })))
      expect(error).toMatchObject({ reason: "connection" })
      expect(error.message).toContain("set `verify_tls` of this provider to the path of the CA bundle")
      const connector = yield* connect(through({ baseUrl: url }))
      expect(yield* connector.healthCheck).toContain("is not reachable")
    }).pipe(Effect.scoped)
  )

  it.live("is accepted with the authority's bundle, relative to the project, and through a proxy", () =>
    Effect.gen(function* () {
      const { url } = yield* startTls
      const root = path.dirname(tlsFolder)
      const options = { ...through({ baseUrl: url, caFile: "tls/ca.pem" }), root }
      expect((yield* ask(options)).text).toBe("refund")
      const proxy = yield* startProxy
      const tunnelled = { ...through({ baseUrl: url, caFile: "tls/ca.pem", proxy: proxy.url }), root }
      expect((yield* ask(tunnelled)).text).toBe("refund")
      expect(proxy.targets).toEqual([new URL(url).host])
    }).pipe(Effect.scoped)
  )

  it.live("is accepted without a check when that was asked for", () =>
    Effect.gen(function* () {
      const { url } = yield* startTls
      expect((yield* ask(through({ baseUrl: url, verifyTls: false }))).text).toBe("refund")
    }).pipe(Effect.scoped)
  )

  it.live("a bundle that cannot be read is found before a run", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connect(through({ baseUrl: "https://127.0.0.1:9", caFile: "/nowhere/ca.pem" })))
      expect(error.message).toContain("the CA bundle /nowhere/ca.pem cannot be read")
    }).pipe(Effect.scoped)
  )
})

describe("the model list of a compatible server", () => {
  const check = (handler: LoopbackServer.Handler, options: object = {}) =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(handler)
      const connector = yield* connect({ ...through({ baseUrl: server.url }), ...options })
      return { reason: yield* connector.healthCheck, server }
    })

  it.live("is asked for with the key, and a refused key is a reason not to run", () =>
    Effect.gen(function* () {
      const refusing: LoopbackServer.Handler = (_, response) => LoopbackServer.json(response, 401, {})
      const anonymous = yield* check(refusing)
      expect(anonymous.reason).toContain("asks for a key")
      const { reason, server } = yield* check(refusing, { apiKeyEnv: "KEY", env: { KEY: testKey } })
      expect(reason).toBe(`${server.url}/v1 refuses the key (401)`)
      expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${testKey}`)
    }).pipe(Effect.scoped)
  )

  it.live("that does not exist, is empty, or cannot be read, says nothing against the server", () =>
    Effect.gen(function* () {
      const silent: ReadonlyArray<LoopbackServer.Handler> = [
        (_, response) => LoopbackServer.json(response, 404, {}),
        (_, response) => LoopbackServer.json(response, 500, {}),
        (_, response) => LoopbackServer.json(response, 200, { data: [] }),
        (_, response) => LoopbackServer.json(response, 200, { models: [{ name: "m" }] }),
        (_, response) => LoopbackServer.json(response, 200, { anything: 1 }),
        (_, response) => {
          response.writeHead(200, { "content-type": "text/plain" })
          response.end("hello")
        }
      ]
      for (const handler of silent) expect((yield* check(handler)).reason).toBeNull()
    }).pipe(Effect.scoped)
  )

  it.live("names what is served, at most six", () =>
    Effect.gen(function* () {
      const data = Array.from({ length: 9 }, (_, index) => ({ id: `model-${index}` }))
      const { reason, server } = yield* check((_, response) => LoopbackServer.json(response, 200, { data }))
      expect(reason).toBe(
        `${server.url}/v1 does not serve m; it serves model-0, model-1, model-2, model-3, model-4, model-5, and 3 more`
      )
    }).pipe(Effect.scoped)
  )

  it.live("can be read on its own", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((seen, response) =>
        seen.path.startsWith("/v1/")
          ? LoopbackServer.json(response, 200, { data: [{ id: "a" }, { id: "b" }] })
          : LoopbackServer.json(response, 500, {})
      )
      expect(yield* listModels(config(through({ baseUrl: server.url })))).toEqual(["a", "b"])
      const broken = yield* Effect.flip(listModels(config(through({ baseUrl: `${server.url}/x/v1` }))))
      expect(broken.message).toContain("/x/v1/models answers 500")
      const hosted = { kind: "anthropic", model: "m", env: { ANTHROPIC_API_KEY: testKey } }
      expect((yield* Effect.flip(listModels(config(hosted)))).message).toBe("kind anthropic lists no models")
    }).pipe(Effect.scoped)
  )

  it.live("of a server that is not there is a reason that says what to start", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(Effect.map(LoopbackServer.start(answering), (server) => server.url))
      const connector = yield* connect(through({ baseUrl: url }))
      expect(yield* connector.healthCheck).toContain("is not reachable")
      const ollama = yield* connect({ kind: "ollama", model: "qwen3:8b", apiBase: url })
      expect(yield* ollama.healthCheck).toContain("start it with `ollama serve`")
    }).pipe(Effect.scoped)
  )
})
