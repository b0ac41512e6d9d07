/** Recordings on disk: one JSON document, sorted, written whole or not at all. */
import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { reasonOf } from "../../project/source/ProjectFiles.ts"
import { MissPolicy, ReplayEntry, ReplayKey, ReplayStore } from "./ReplayStore.ts"

const version = 1

const ReplayDocument = Schema.Struct({
  version: Schema.Literal(version),
  miss_policy: MissPolicy,
  entries: Schema.Array(Schema.Struct({ key: ReplayKey, entry: ReplayEntry }))
})

/** A recording that cannot be read or written. */
export class ReplayFileError extends Schema.TaggedError<ReplayFileError>()("ReplayFileError", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}

const unreadable = (path: string) => (cause: unknown) =>
  new ReplayFileError({ path, detail: `cannot be read: ${reasonOf(cause)}` })

const writeReasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "permission denied",
  EISDIR: "it is a folder",
  EEXIST: "a part of its path is not a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "there is no space left"
}

const unwritable = (path: string) => (cause: unknown) => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown reason"
  return new ReplayFileError({ path, detail: `cannot be written: ${writeReasons[code] ?? code}` })
}

const notJson = (path: string) => (cause: unknown) =>
  new ReplayFileError({ path, detail: `not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}` })

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** A store as text: two-space indent, keys sorted, entries in the order of their keys. */
export const toText = (store: ReplayStore): string =>
  `${JSON.stringify({ version, miss_policy: store.missPolicy, entries: store.entries }, sortKeys, 2)}\n`

const decode = Schema.decodeUnknownEffect(ReplayDocument, { onExcessProperty: "error" })

/** Reads a recording. `missPolicy` replaces that of the file. */
export const load = Effect.fn("ReplayFile.load")(function* (path: string, missPolicy?: MissPolicy) {
  const text = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: unreadable(path) })
  const value = yield* Effect.try({ try: (): unknown => JSON.parse(text), catch: notJson(path) })
  const document = yield* Effect.mapError(
    decode(value),
    ({ message }) => new ReplayFileError({ path, detail: `is no recording of scenarios: ${message}` })
  )
  const store = new ReplayStore(missPolicy ?? document.miss_policy)
  for (const { entry, key } of document.entries) store.register(key, entry)
  return store
})

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text)
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Writes a recording; a reader sees the old file or the new one, never half of it. */
export const save = (path: string, store: ReplayStore): Effect.Effect<void, ReplayFileError> =>
  Effect.tryPromise({ try: () => write(path, toText(store)), catch: unwritable(path) })
