import type { ServerResponse } from "node:http"
import * as net from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ask, cell, connect, type ModelConfig, profile, request, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"

const chunk = (content: string) => ({ id: "1", model: "m", choices: [{ index: 0, delta: { content } }] })

const model = (url: string, options: Partial<ModelConfig> & { readonly timeoutS?: number } = {}): ModelConfig => ({
  kind: "openai_compatible",
  model: "m",
  apiKeyEnv: "KEY",
  env: { KEY: testKey },
  profile: profile({ kind: "openai_compatible", baseUrl: url, timeoutS: options.timeoutS ?? 20 }),
  ...options
})

/** The error of one request to a server that behaves like this, and how long it took, ms. */
const meet = (handler: LoopbackServer.Handler, options: Parameters<typeof model>[1] = {}, params = {}) =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(handler)
    const connector = yield* connect(model(server.url, options))
    const before = yield* Clock.currentTimeMillis
    const error = yield* Effect.flip(connector.generate(request({ params }), cell))
    const took = (yield* Clock.currentTimeMillis) - before
    expect(JSON.stringify(error)).not.toContain(testKey)
    return { error, took, server }
  })

/** Writes pieces as fast as the client takes them, until it goes away. Returns a count of the bytes that left. */
const flood = (response: ServerResponse, piece: string) => {
  const sent = { bytes: 0 }
  const write = () => {
    while (!response.destroyed) {
      sent.bytes += piece.length
      if (!response.write(piece)) {
        response.once("drain", write)
        return
      }
    }
  }
  write()
  return sent
}

const mebibyte = 1024 * 1024

describe("a server that takes its time", () => {
  it.live("never answers: the call ends at the profile's time limit, and the socket is closed", () =>
    Effect.gen(function* () {
      const { error, took, server } = yield* meet(() => undefined, { timeoutS: 0.2 })
      expect(error).toMatchObject({ reason: "timeout", isRetryable: true, detail: "no complete answer within 0.2 s" })
      expect(took).toBeLessThan(10_000)
      yield* server.closed(1)
    }).pipe(Effect.scoped)
  )

  it.live("stops in the middle: the call ends when nothing came for the idle limit", () =>
    Effect.gen(function* () {
      const { error, took, server } = yield* meet(
        (_, response) => LoopbackServer.events(response, [chunk("half an ans")]),
        { idleTimeoutS: 0.2 }
      )
      expect(error).toMatchObject({ reason: "timeout", detail: "the answer stopped: nothing arrived for 0.2 s" })
      expect(took).toBeGreaterThanOrEqual(190)
      expect(took).toBeLessThan(10_000)
      yield* server.closed(1)
    }).pipe(Effect.scoped)
  )

  it.live("sends its answer byte by byte: never idle, but the time limit holds", () =>
    Effect.gen(function* () {
      const timers: Array<NodeJS.Timeout> = []
      const { error, took, server } = yield* meet(
        (_, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          timers.push(setInterval(() => response.write(":"), 20))
        },
        { timeoutS: 0.4, idleTimeoutS: 0.2 }
      )
      for (const timer of timers) clearInterval(timer)
      expect(error).toMatchObject({ reason: "timeout", detail: "no complete answer within 0.4 s" })
      expect(took).toBeGreaterThanOrEqual(390)
      yield* server.closed(1)
    }).pipe(Effect.scoped)
  )

  it.live("is slow to begin: the idle limit does not count before the answer", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => {
        const end = { id: "1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
        setTimeout(() => {
          LoopbackServer.events(response, [chunk("late"), end])
          response.end()
        }, 300)
      })
      const generation = yield* ask(model(server.url, { idleTimeoutS: 0.1 }))
      expect(generation.text).toBe("late")
      expect(generation.timeToFirstTokenMs).toBeGreaterThanOrEqual(290)
    }).pipe(Effect.scoped)
  )
})

describe("a server that sends too much", () => {
  it.live("an endless answer is cut, and the rest is never read", () =>
    Effect.gen(function* () {
      const sent: Array<{ bytes: number }> = []
      const { error, server } = yield* meet((_, response) => {
        LoopbackServer.events(response, [])
        sent.push(flood(response, `data: ${JSON.stringify(chunk("x".repeat(60_000)))}\n\n`))
      })
      expect(error).toMatchObject({ reason: "malformed_response", detail: "the answer is longer than 8 Mi characters" })
      yield* server.closed(1)
      expect(sent[0]?.bytes).toBeLessThan(24 * mebibyte)
    }).pipe(Effect.scoped)
  )

  it.live("an endless line is cut", () =>
    Effect.gen(function* () {
      const sent: Array<{ bytes: number }> = []
      const { error, server } = yield* meet((_, response) => {
        LoopbackServer.events(response, [])
        sent.push(flood(response, "x".repeat(60_000)))
      })
      expect(error).toMatchObject({ reason: "malformed_response", detail: "the response has a line longer than 8 MiB" })
      yield* server.closed(1)
      expect(sent[0]?.bytes).toBeLessThan(24 * mebibyte)
    }).pipe(Effect.scoped)
  )

  it.live("an endless document is cut", () =>
    Effect.gen(function* () {
      const sent: Array<{ bytes: number }> = []
      const { error, server } = yield* meet(
        (_, response) => {
          response.writeHead(200, { "content-type": "application/json" })
          sent.push(flood(response, `${" ".repeat(60_000)}\n`))
        },
        {},
        { stream: false }
      )
      expect(error).toMatchObject({ reason: "malformed_response", detail: "the response is larger than 16 MiB" })
      yield* server.closed(1)
      expect(sent[0]?.bytes).toBeLessThan(32 * mebibyte)
    }).pipe(Effect.scoped)
  )

  it.live("of an endless error only the beginning is read", () =>
    Effect.gen(function* () {
      const sent: Array<{ bytes: number }> = []
      const { error, server } = yield* meet((_, response) => {
        response.writeHead(503, { "content-type": "text/plain" })
        sent.push(flood(response, "overloaded ".repeat(6000)))
      })
      expect(error).toMatchObject({ reason: "overloaded", status: 503 })
      expect(error.message.length).toBeLessThan(700)
      yield* server.closed(1)
      expect(sent[0]?.bytes).toBeLessThan(8 * mebibyte)
    }).pipe(Effect.scoped)
  )

  it.live("a header of 10 MB is refused", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(`HTTP/1.1 200 OK\r\nx-large: ${"x".repeat(10_000_000)}\r\n\r\n`)
      const error = yield* Effect.flip(ask(model(server.url)))
      expect(error).toMatchObject({ reason: "malformed_response", isRetryable: true })
      expect(error.message).toContain("UND_ERR_HEADERS_OVERFLOW")
    }).pipe(Effect.scoped)
  )
})

/** A TCP server that answers whatever comes with the same bytes. */
const rawServer = (bytes: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
      const sockets = new Set<net.Socket>()
      const server = net.createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.once("data", () => socket.end(bytes))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const stop = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, stop }))
      })
    }),
    (server) => Effect.sync(server.stop)
  )

describe("a server that says something else", () => {
  it.live("a page instead of JSON", () =>
    Effect.gen(function* () {
      const { error } = yield* meet((_, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
        response.end("<h1>Welcome</h1>")
      })
      expect(error).toMatchObject({
        reason: "malformed_response",
        detail: "the server answered with text/html instead of JSON; check base_url"
      })
    }).pipe(Effect.scoped)
  )

  it.live("bytes that are not HTTP", () =>
    Effect.gen(function* () {
      const server = yield* rawServer("SSH-2.0-OpenSSH_9.9\r\n")
      const error = yield* Effect.flip(ask(model(server.url)))
      expect(error).toMatchObject({ reason: "malformed_response" })
    }).pipe(Effect.scoped)
  )

  it.live("a stream whose events are not JSON", () =>
    Effect.gen(function* () {
      const { error } = yield* meet((_, response) => {
        LoopbackServer.events(response, ["{not json"])
        response.end()
      })
      expect(error).toMatchObject({ reason: "malformed_response" })
      expect(error.message).toContain("{not json")
    }).pipe(Effect.scoped)
  )

  it.live("a stream that reports an error of its own", () =>
    Effect.gen(function* () {
      const { error } = yield* meet((_, response) => {
        LoopbackServer.events(response, [chunk("par"), { error: { message: "engine died", code: 502 } }])
        response.end()
      })
      expect(error).toMatchObject({ reason: "server", status: 502, detail: "engine died", isRetryable: true })
    }).pipe(Effect.scoped)
  )

  it.live("a redirect is not followed, so that the key goes nowhere else", () =>
    Effect.gen(function* () {
      const other = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, {}))
      const { error, server } = yield* meet((_, response) => {
        response.writeHead(307, { location: `${other.url}/v1/chat/completions?token=abc` })
        response.end()
      })
      expect(error).toMatchObject({
        reason: "invalid_request",
        status: 307,
        isRetryable: false,
        detail: `the server redirects to ${other.url}/v1/chat/completions; set base_url to the final address`
      })
      expect(server.seen.length).toBe(1)
      expect(other.seen.length).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("a redirect to itself costs one request", () =>
    Effect.gen(function* () {
      const { server } = yield* meet((seen, response) => {
        response.writeHead(308, { location: seen.path })
        response.end()
      })
      expect(server.seen.length).toBe(1)
    }).pipe(Effect.scoped)
  )
})

describe("a server that goes away", () => {
  it.live("in the middle of an answer", () =>
    Effect.gen(function* () {
      const { error } = yield* meet((_, response) => {
        LoopbackServer.events(response, [chunk("half an ans")])
        setTimeout(() => response.destroy(), 20)
      })
      expect(error).toMatchObject({ reason: "truncated", isRetryable: true, status: null })
      expect(error.message).toContain("the answer was cut off")
    }).pipe(Effect.scoped)
  )

  it.live("at the end of an answer that never said it was complete", () =>
    Effect.gen(function* () {
      const { error } = yield* meet((_, response) => {
        LoopbackServer.events(response, [chunk("half an ans")])
        response.end()
      })
      expect(error).toMatchObject({ reason: "truncated", isRetryable: true })
    }).pipe(Effect.scoped)
  )

  it.live("before it answered", () =>
    Effect.gen(function* () {
      const { error, server } = yield* meet((_, response) => response.destroy())
      expect(error).toMatchObject({ reason: "connection", isRetryable: true })
      expect(error.message).toContain(server.url)
    }).pipe(Effect.scoped)
  )

  it.live("or was never there", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(
        Effect.map(
          LoopbackServer.start(() => undefined),
          (server) => server.url
        )
      )
      const error = yield* Effect.flip(ask(model(url)))
      expect(error).toMatchObject({ reason: "connection", isRetryable: true })
      expect(error.message).toContain("ECONNREFUSED")
    }).pipe(Effect.scoped)
  )
})

describe("a server under pressure", () => {
  it.live("says when to come back: as a date, in seconds, or in milliseconds", () =>
    Effect.gen(function* () {
      const refusing =
        (headers: Readonly<Record<string, string>>): LoopbackServer.Handler =>
        (_, response) =>
          LoopbackServer.json(response, 429, { error: { message: "slow down" } }, headers)
      const date = yield* meet(refusing({ "retry-after": new Date(Date.now() + 5000).toUTCString() }))
      expect(date.error).toMatchObject({ reason: "rate_limited", status: 429 })
      expect(Reflect.get(date.error, "retryAfterMs")).toBeGreaterThan(3000)
      expect(Reflect.get(date.error, "retryAfterMs")).toBeLessThanOrEqual(5000)
      const seconds = yield* meet(refusing({ "retry-after": "2" }))
      expect(seconds.error).toMatchObject({ retryAfterMs: 2000 })
      const exact = yield* meet(refusing({ "retry-after": "2", "retry-after-ms": "250" }))
      expect(exact.error).toMatchObject({ retryAfterMs: 250 })
    }).pipe(Effect.scoped)
  )

  it.live("tells an exhausted account from a limit that passes", () =>
    Effect.gen(function* () {
      const { error } = yield* meet((_, response) =>
        LoopbackServer.json(response, 429, {
          error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" }
        })
      )
      expect(error).toMatchObject({ reason: "quota_exhausted", status: 429, isRetryable: false })
    }).pipe(Effect.scoped)
  )
})

it.live("64 calls in flight leave nothing open when they are interrupted", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(() => undefined)
    const calls = Effect.scoped(
      Effect.all(
        Array.from({ length: 64 }, () => ask(model(server.url))),
        { concurrency: "unbounded" }
      )
    )
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const before = timers()
    const fiber = yield* Effect.forkChild(calls, { startImmediately: true })
    yield* server.arrived(64)
    expect(server.sockets.size).toBe(64)
    fiber.interruptUnsafe()
    yield* server.closed(64)
    expect(server.sockets.size).toBe(0)
    expect(timers()).toBeLessThanOrEqual(before)
  }).pipe(Effect.scoped)
)
