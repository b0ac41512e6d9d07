import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Loopback {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  readonly received: ReadonlyArray<Received>
  readonly sockets: ReadonlySet<Socket>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

/** A real HTTP server on a free port of this machine, gone with the scope of the test. */
export const loopback = (answer: (request: Received, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<Loopback & { readonly close: () => void }>((resume) => {
      const received: Array<Received> = []
      const sockets = new Set<Socket>()
      const server = createServer(async (request, response) => {
        const { method = "", url = "", headers } = request
        const got = { method, url, headers, body: await bodyOf(request) }
        received.push(got)
        answer(got, response)
      })
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, received, sockets, close }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

/** Sends a JSON document. */
export const json = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(value))
}
