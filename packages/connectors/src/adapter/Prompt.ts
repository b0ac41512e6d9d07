/** From messages of a case to the prompt of the AI SDK specification; reads the files that parts name. */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import type { ContentPart, Message } from "@agent-arena/core/domain/Message"
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart
} from "@ai-sdk/provider"

type FileRef = Exclude<ContentPart, { type: "text" }>

/** Largest file that is sent, in bytes: providers refuse larger ones. */
const largestFile = 20 * 1024 * 1024

/** An attachment that cannot be sent; the case or the model must change. */
export class AttachmentError extends Error {
  override readonly name = "AI_InvalidPromptError"
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".json": "application/json",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".mp4": "video/mp4"
}

const mediaTypeOf = (part: FileRef, name: string): string =>
  part.mediaType ??
  mediaTypes[path.extname(name).toLowerCase()] ??
  (part.type === "image" ? "image/*" : "application/octet-stream")

const readAttachment = async (root: string, relative: string, signal: AbortSignal): Promise<Uint8Array> => {
  const file = path.resolve(root, relative)
  const stat = await fs.stat(file).catch(() => null)
  if (stat === null || !stat.isFile()) throw new AttachmentError(`the attachment ${relative} does not exist (${file})`)
  if (stat.size > largestFile) throw new AttachmentError(`the attachment ${relative} is larger than 20 MiB`)
  return fs.readFile(file, { signal })
}

const filePart = async (part: FileRef, root: string, signal: AbortSignal): Promise<LanguageModelV4FilePart> => {
  if (part.path !== undefined) {
    const data = await readAttachment(root, part.path, signal)
    const filename = path.basename(part.path)
    return { type: "file", filename, mediaType: mediaTypeOf(part, filename), data: { type: "data", data } }
  }
  if (part.url === undefined || !URL.canParse(part.url)) {
    throw new AttachmentError(`a part of type ${part.type} needs a path or a valid url`)
  }
  const url = new URL(part.url)
  return { type: "file", mediaType: mediaTypeOf(part, url.pathname), data: { type: "url", url } }
}

const textOf = (content: Message["content"]): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

const parts = async (
  content: Message["content"],
  root: string,
  signal: AbortSignal
): Promise<Array<LanguageModelV4TextPart | LanguageModelV4FilePart>> => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  return Promise.all(
    content.map((part) =>
      part.type === "text" ? ({ type: "text", text: part.text } as const) : filePart(part, root, signal)
    )
  )
}

const toMessage = async (message: Message, root: string, signal: AbortSignal): Promise<LanguageModelV4Message> =>
  message.role === "system"
    ? { role: "system", content: textOf(message.content) }
    : { role: message.role, content: await parts(message.content, root, signal) }

/** The prompt of a request. Paths are resolved against `root`. */
export const make = async (
  request: GenerationRequest,
  root: string,
  signal: AbortSignal
): Promise<LanguageModelV4Prompt> => {
  const messages = await Promise.all(request.messages.map((message) => toMessage(message, root, signal)))
  return request.system === null ? messages : [{ role: "system", content: request.system }, ...messages]
}
