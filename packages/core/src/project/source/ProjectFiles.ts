/** Reads the files of a project: bounded, regular files only, valid UTF-8 only. */
import { isUtf8 } from "node:buffer"
import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import type { SourcePosition } from "../../domain/SourcePosition.ts"
import { make, type SourceText } from "./SourceText.ts"
import type { SyntaxProblem } from "./SourceTree.ts"

const mebibyte = 1024 * 1024

/** The one reason after which it helps to look for similar names. */
export const noSuchFile = "there is no such file or folder"

/** Why something about a path failed, in words. */
export const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  switch (code) {
    case "ENOENT":
      return noSuchFile
    case "EACCES":
    case "EPERM":
      return "it may not be read (permission denied)"
    case "ELOOP":
      return "its symbolic links go round in a circle"
    case "ENOTDIR":
      return "a part of its path is not a folder"
    case "EISDIR":
      return "it is a folder"
    case "ENAMETOOLONG":
      return "its name is too long"
    case "EMFILE":
    case "ENFILE":
      return "too many files are open"
    default:
      return code === "" ? "it cannot be read" : `it cannot be read (${code})`
  }
}

/** What stands at a path. Sizes in bytes. */
export type FileKind = "file" | "folder" | "other"

/** The kind of what stands at `path` (links followed), or why it cannot be told. */
export const kindOf = (path: string): Effect.Effect<FileKind, string> =>
  Effect.tryPromise({
    try: async () => {
      const found = await stat(path)
      return found.isFile() ? ("file" as const) : found.isDirectory() ? ("folder" as const) : ("other" as const)
    },
    catch: reasonOf
  })

const tooLarge = (limit: number): string => `it is larger than ${Math.floor(limit / mebibyte)} MiB`

/** At most `limit` bytes; files that grow or do not know their size are bounded, too. */
const readBounded = async (handle: FileHandle, limit: number): Promise<Buffer | null> => {
  const { size } = await handle.stat()
  if (size > limit) return null
  const chunks: Array<Buffer> = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(limit + 1 - total, Math.max(size - total + 1, 64 * 1024)))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length)
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, bytesRead))
    total += bytesRead
    if (total > limit) return null
  }
}

const readBytes = (path: string, limit: number): Effect.Effect<Buffer, string> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: async () => {
        const found = await stat(path)
        if (found.isDirectory()) return "it is a folder, not a file"
        if (!found.isFile()) return "it is not a regular file"
        if (found.size > limit) return tooLarge(limit)
        // A pipe put in the place of the file would else block for ever.
        const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
        try {
          return (await readBounded(handle, limit)) ?? tooLarge(limit)
        } finally {
          await handle.close()
        }
      },
      catch: reasonOf
    }),
    (result) => (typeof result === "string" ? Effect.fail(result) : Effect.succeed(result))
  )

/** Where the character begins that is not finished before `offset`; `offset` itself when there is none. */
const characterStart = (bytes: Buffer, offset: number): number => {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[offset - back] ?? 0
    if (byte < 0x80) return offset
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? offset - back : offset
  }
  return offset
}

/** The offset of the first byte that is not UTF-8. For bytes that are not. */
const firstBadByte = (bytes: Buffer): number => {
  const valid = (length: number): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true })
      return true
    } catch {
      return false
    }
  }
  let low = 0
  let high = bytes.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (valid(middle)) low = middle
    else high = middle - 1
  }
  return characterStart(bytes, low)
}

/** Where a byte stands; columns are bytes, as there is no text yet. */
const bytePosition = (file: string, bytes: Buffer, offset: number): SourcePosition => {
  let line = 1
  let start = 0
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) {
    line++
    start = at + 1
  }
  return { file, line, column: offset - start + 1 }
}

const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

const decode = (file: string, bytes: Buffer): Effect.Effect<SourceText, SyntaxProblem> => {
  const fail = (offset: number, message: string, suggestion: string | null) =>
    Effect.fail({ position: bytePosition(file, bytes, offset), message, suggestion })
  if (isUtf16(bytes)) return fail(0, "the file is UTF-16", "save it as UTF-8")
  if (!isUtf8(bytes)) {
    const offset = firstBadByte(bytes)
    const byte = (bytes[offset] ?? 0).toString(16).padStart(2, "0")
    return fail(offset, `the byte 0x${byte} is not UTF-8`, "save the file as UTF-8")
  }
  const nul = bytes.indexOf(0)
  if (nul !== -1) return fail(nul, "a NUL byte: this is not a text file", null)
  const text = bytes.toString("utf8")
  return Effect.succeed(make(file, text.startsWith("\ufeff") ? text.slice(1) : text))
}

/** The text of a file without its BOM. `file` is how it is shown, `limit` its largest size in bytes. */
export const readText = (path: string, file: string, limit: number): Effect.Effect<SourceText, SyntaxProblem> =>
  Effect.matchEffect(readBytes(path, limit), {
    onFailure: (reason) =>
      Effect.fail({
        position: { file, line: null, column: null },
        message: `cannot be read: ${reason}`,
        suggestion: null
      }),
    onSuccess: (bytes) => decode(file, bytes)
  })
