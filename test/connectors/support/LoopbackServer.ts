import * as http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"

/** A request as the server saw it. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export type Handler = (request: Seen, response: http.ServerResponse) => void

/** A real HTTP server on the loopback interface that remembers what it saw. */
export interface LoopbackServer {
  readonly url: string
  readonly port: number
  readonly seen: ReadonlyArray<Seen>
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>
  /** Resolves when `count` connections have been closed by the client. */
  readonly closed: (count: number) => Effect.Effect<void>
  /** Resolves when `count` requests have arrived. */
  readonly arrived: (count: number) => Effect.Effect<void>
}

interface Waiter {
  readonly ready: () => boolean
  readonly resume: () => void
}

const makeWaiters = () => {
  const waiters = new Set<Waiter>()
  const check = () => {
    for (const waiter of [...waiters]) {
      if (waiter.ready()) {
        waiters.delete(waiter)
        waiter.resume()
      }
    }
  }
  const until = (ready: () => boolean) =>
    Effect.callback<void>((resume) => {
      if (ready()) return resume(Effect.void)
      waiters.add({ ready, resume: () => resume(Effect.void) })
    })
  return { check, until }
}

const readBody = (request: http.IncomingMessage, done: (body: string) => void) => {
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  request.on("end", () => done(Buffer.concat(pieces).toString("utf8")))
}

/** Starts a server that lives as long as the scope. */
export const start = (handler: Handler) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<LoopbackServer & { readonly stop: () => Promise<void> }>((resume) => {
        const seen: Array<Seen> = []
        const sockets = new Set<Socket>()
        let closedCount = 0
        const waiters = makeWaiters()
        const server = http.createServer((request, response) => {
          readBody(request, (body) => {
            const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body }
            seen.push(one)
            waiters.check()
            handler(one, response)
          })
        })
        server.on("connection", (socket) => {
          sockets.add(socket)
          socket.on("error", () => undefined)
          socket.on("close", () => {
            sockets.delete(socket)
            closedCount += 1
            waiters.check()
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(
            Effect.succeed({
              url: `http://127.0.0.1:${port}`,
              port,
              seen,
              sockets,
              closed: (count) => waiters.until(() => closedCount >= count),
              arrived: (count) => waiters.until(() => seen.length >= count),
              stop: () =>
                new Promise<void>((done) => {
                  server.close(() => done())
                  for (const socket of sockets) socket.destroy()
                })
            })
          )
        })
      }),
      (server) => Effect.promise(server.stop)
    ),
    (server): LoopbackServer => server
  )

/** Answers with a JSON document. */
export const json = (
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {}
) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

/** Starts an event stream and sends the given events. */
export const events = (
  response: http.ServerResponse,
  items: ReadonlyArray<unknown>,
  headers: http.OutgoingHttpHeaders = {}
) => {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers })
  for (const item of items) response.write(`data: ${typeof item === "string" ? item : JSON.stringify(item)}\n\n`)
}
