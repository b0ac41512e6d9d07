/** A model server on this machine that counts what it is asked, and misbehaves as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What the server does with a request; `cell` is what the prompt says. */
export type Reaction =
  | { readonly _tag: "Answer"; readonly afterMs?: number }
  | { readonly _tag: "Refuse"; readonly status: number; readonly retryAfterMs?: number }
  | { readonly _tag: "Reset" }
  | { readonly _tag: "Hang" }

export interface Loopback {
  /**
   * `…/v1` is what an OpenAI-compatible client wants, `…/answer` what a `url:` target posts to. Each answer of the latter
   * costs 0.001 USD by its own account; the former reports 5 + 1 tokens.
   */
  readonly origin: string
  /** Requests by cell, in order of arrival. */
  readonly asked: ReadonlyMap<string, number>
  /** Answers that were written whole, by cell. */
  readonly answered: ReadonlyMap<string, number>
  /** Requests that are being answered, or are left hanging. */
  readonly open: () => number
  /** Resolves when so many requests are open. */
  readonly holds: (count: number) => Promise<void>
  readonly close: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return text
}

/** The prompts of these tests name their case, `cell <case>`; a first part of the path names the contestant. */
const cellOf = (path: string, body: string): string => {
  const id = /cell ([\w.-]+)/.exec(body)?.[1] ?? "?"
  const contestant = /^\/(\w+)\/(?:answer|v1)/.exec(path)?.[1]
  return contestant === undefined ? id : `${contestant}/${id}`
}

const completion = (text: string): string =>
  JSON.stringify({
    id: "c",
    object: "chat.completion",
    created: 0,
    model: "loop",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }
  })

const count = (counts: Map<string, number>, cell: string): number => {
  const next = (counts.get(cell) ?? 0) + 1
  counts.set(cell, next)
  return next
}

/** Starts a server whose reaction depends on the cell and on how often it was asked for it. */
export const loopback = async (react: (cell: string, times: number) => Reaction): Promise<Loopback> => {
  const asked = new Map<string, number>()
  const answered = new Map<string, number>()
  const held = new Set<ServerResponse>()
  const watchers = new Set<() => void>()

  const reply = (response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}) =>
    new Promise<boolean>((resolve) => {
      response.once("close", () => resolve(response.writableFinished))
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
    })

  const perform = async (path: string, cell: string, reaction: Reaction, response: ServerResponse) => {
    switch (reaction._tag) {
      case "Hang":
        return
      case "Reset":
        response.destroy()
        return
      case "Refuse": {
        const wait = reaction.retryAfterMs === undefined ? {} : { "retry-after-ms": String(reaction.retryAfterMs) }
        await reply(response, reaction.status, JSON.stringify({ error: { message: "not now" } }), wait)
        return
      }
      case "Answer": {
        if (reaction.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reaction.afterMs))
        const text = path.endsWith("/answer") ? JSON.stringify({ output: "yes", cost_usd: 0.001 }) : completion("yes")
        if (await reply(response, 200, text)) count(answered, cell)
      }
    }
  }

  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    if (request.method === "GET") {
      await reply(response, 200, JSON.stringify({ object: "list", data: [{ id: "loop", object: "model" }] }))
      return
    }
    const cell = cellOf(path, await bodyOf(request))
    held.add(response)
    response.once("close", () => held.delete(response))
    const reaction = react(cell, count(asked, cell))
    for (const watch of watchers) watch()
    await perform(path, cell, reaction, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    answered,
    open: () => held.size,
    holds: (wanted) =>
      new Promise((resolve) => {
        const watch = () => {
          if (held.size < wanted) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
