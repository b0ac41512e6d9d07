/**
 * A stand-in for a model server, to try this project without one. It speaks the part of the OpenAI protocol that is
 * needed, streams, and counts tokens. It is no model: each "model" knows a list of words, the larger ones longer lists,
 * and answers in a time of its own. Start it with  node standInServer.ts [PORT]  (11434 by default, 0 = any free one).
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

interface StandIn {
  readonly signs: RegExp
  /** Words that show that it only sounds urgent. */
  readonly calming: RegExp
  readonly msPerToken: number
}

const models: Readonly<Record<string, StandIn>> = {
  "qwen3:8b": {
    signs: /ceiling|smoke|lift|payment|freezer|gas/i,
    calming: /newsletter|drill|colour/i,
    msPerToken: 40
  },
  "llama3.2:3b": { signs: /ceiling|smoke|lift|payment|gas|urgent/i, calming: /drill/i, msPerToken: 20 },
  "gemma3:1b": { signs: /smoke|fire|urgent|please|water/i, calming: /invoice/i, msPerToken: 8 }
}

interface Ask {
  readonly model: string
  readonly text: string
  readonly words: number
  readonly stream: boolean
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (message: unknown): string =>
  isRecord(message) && typeof message["content"] === "string" ? message["content"] : ""

const parse = (body: string): Ask | null => {
  const request: unknown = JSON.parse(body)
  if (!isRecord(request) || typeof request["model"] !== "string" || !Array.isArray(request["messages"])) return null
  const texts = request["messages"].map(textOf)
  return {
    model: request["model"],
    text: texts.at(-1) ?? "",
    words: texts.join(" ").split(/\s+/).length,
    stream: request["stream"] === true
  }
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const piece of request.setEncoding("utf8")) body += piece
  return body
}

const json = (response: ServerResponse, status: number, document: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document))
}

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms))

const answer = async (ask: Ask, standIn: StandIn, response: ServerResponse): Promise<void> => {
  const label = standIn.signs.test(ask.text) && !standIn.calming.test(ask.text) ? "urgent" : "normal"
  const usage = { prompt_tokens: ask.words, completion_tokens: 2, total_tokens: ask.words + 2 }
  const common = { id: "stand-in", object: "chat.completion.chunk", created: 0, model: ask.model }
  if (!ask.stream) {
    await pause(2 * standIn.msPerToken)
    const message = { role: "assistant", content: label }
    json(response, 200, { ...common, choices: [{ index: 0, message, finish_reason: "stop" }], usage })
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (document: unknown) => response.write(`data: ${JSON.stringify(document)}\n\n`)
  for (const content of [label.slice(0, 3), label.slice(3)]) {
    await pause(standIn.msPerToken)
    send({ ...common, choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  }
  send({ ...common, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
  send({ ...common, choices: [], usage })
  response.end("data: [DONE]\n\n")
}

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === "GET" && request.url === "/v1/models") {
    return json(response, 200, { object: "list", data: Object.keys(models).map((id) => ({ id, object: "model" })) })
  }
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    return json(response, 404, { error: { message: `nothing at ${request.url}`, type: "not_found" } })
  }
  const ask = parse(await readBody(request))
  const standIn = ask === null ? undefined : models[ask.model]
  if (ask === null || standIn === undefined) {
    return json(response, 404, { error: { message: "no such model", type: "model_not_found" } })
  }
  await answer(ask, standIn, response)
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) =>
    json(response, 400, { error: { message: String(error), type: "invalid_request_error" } })
  )
})

server.on("error", (error) => {
  process.stderr.write(`the stand-in cannot listen: ${error.message}\n`)
  process.exitCode = 1
})

server.listen(Number(process.argv[2] ?? 11_434), "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`stand-in for a model server at http://localhost:${port}/v1 (end it with Ctrl-C)\n`)
})
