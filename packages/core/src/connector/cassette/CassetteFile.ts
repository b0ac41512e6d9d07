/** Where the exchanges of one contestant are kept, and how they are found again. */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectorError } from "../Connector.ts"
import { type Exchange, Line, version } from "./Exchange.ts"

const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/

/** The file of a contestant: its key where that is a plain file name, else a readable part of it and a hash. */
export const pathOf = (dir: string, contestant: string): string => {
  if (plainName.test(contestant)) return path.join(dir, `${contestant}.jsonl`)
  const readable = contestant.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60)
  const hash = createHash("sha256").update(contestant).digest("hex").slice(0, 10)
  return path.join(dir, `${readable}-${hash}.jsonl`)
}

export const problem = (detail: string, suggestion: string | null = null): ConnectorError =>
  new ConnectorError({ detail, suggestion })

const words = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return "code" in cause && cause.code === "ENOENT" ? "there is no such file" : cause.message
}

/** Opens a cassette to add to it; closed with the scope. */
export const openToAppend = (file: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await fs.promises.mkdir(path.dirname(file), { recursive: true })
        return fs.promises.open(file, "a")
      },
      catch: (cause) => problem(`the recording ${file} cannot be written: ${words(cause)}`, "check run.record")
    }),
    (handle) => Effect.promise(() => handle.close().catch(() => undefined))
  )

/** Where a recorded exchange stands in the file. */
interface Place {
  readonly offset: number
  readonly length: number
}

/** Recorded exchanges by key, in the order in which they happened; only places are kept in memory. */
export interface CassetteIndex {
  readonly file: string
  readonly provider: string
  readonly places: ReadonlyMap<string, ReadonlyArray<Place>>
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Recorded {
  readonly rank: number
  readonly places: Array<Place>
}

/** Builds the index line by line. A key that a later session recorded again is that session's alone. */
class IndexBuilder {
  provider = "replay"
  /** Sessions by name, in the order in which they began. */
  readonly #ranks = new Map<string, number>()
  readonly #found = new Map<string, Recorded>()

  /** Looks at what the index needs only; an exchange is checked when it is used. */
  add(text: string, place: Place): void {
    const line: unknown = JSON.parse(text)
    if (!isRecord(line)) throw new Error("it is not a JSON object")
    const { type, key, session, version: written, provider } = line
    if (type === "session" && typeof written === "number") {
      if (written > version) throw new Error(`its format ${written} is newer than this program`)
      if (typeof provider === "string") this.provider = provider
      this.#ranks.set(String(session), this.#ranks.size)
      return
    }
    if (type !== "exchange" || typeof key !== "string") throw new Error("it is neither a session nor an exchange")
    this.#addExchange(key, this.#ranks.get(String(session)) ?? -1, place)
  }

  #addExchange(key: string, rank: number, place: Place): void {
    const known = this.#found.get(key)
    if (known === undefined || known.rank < rank) this.#found.set(key, { rank, places: [place] })
    else if (known.rank === rank) known.places.push(place)
  }

  places(): ReadonlyMap<string, ReadonlyArray<Place>> {
    return new Map([...this.#found].map(([key, { places }]) => [key, places]))
  }
}

const lineFeed = 10

/** The complete lines of a file with their places; half a line at the end, left by a program that was killed, is not one. */
async function* completeLines(file: string): AsyncGenerator<Place & { readonly text: string }> {
  let rest = Buffer.alloc(0)
  let offset = 0
  for await (const piece of fs.createReadStream(file)) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let start = 0
    for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed, start)) {
      const length = end - start
      yield { offset, length, text: rest.toString("utf8", start, end) }
      offset += length + 1
      start = end + 1
    }
    rest = rest.subarray(start)
  }
}

const buildIndex = async (file: string): Promise<CassetteIndex> => {
  const builder = new IndexBuilder()
  let number = 0
  for await (const { text, ...place } of completeLines(file)) {
    number += 1
    try {
      builder.add(text, place)
    } catch (cause) {
      throw new Error(`line ${number} cannot be read: ${words(cause)}`)
    }
  }
  return { file, provider: builder.provider, places: builder.places() }
}

/** Reads which exchanges a cassette holds. */
export const openToReplay = (file: string): Effect.Effect<CassetteIndex, ConnectorError> =>
  Effect.tryPromise({
    try: () => buildIndex(file),
    catch: (cause) =>
      problem(`the recording ${file} cannot be replayed: ${words(cause)}`, "check run.replay, or record it again")
  })

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

/** Reads one exchange; null = the file changed since it was indexed, or was changed by hand. */
export const readExchange = async (index: CassetteIndex, place: Place): Promise<Exchange | null> => {
  const handle = await fs.promises.open(index.file, "r")
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(place.length), 0, place.length, place.offset)
    if (bytesRead !== place.length) return null
    const line = decodeLine(buffer.toString("utf8"))
    return line.type === "exchange" ? line : null
  } finally {
    await handle.close()
  }
}
