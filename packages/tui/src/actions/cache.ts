import { type CacheListing, ResponseCache } from "@agent-arena/core/engine/cache/ResponseCache"
import { plural } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { lines } from "@agent-arena/core/report/TextTable"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { CacheInput, CacheListInput, CacheRemovalInput } from "../commands/cache.ts"
import { Output } from "../process/Output.ts"
import { confirm } from "./confirmation.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"
import { sizeText } from "./removal.ts"
import { tell } from "./theRun.ts"

const dayMs = 86_400_000

/** Folder of the cache: what the flag says, what the project says, or where `run.cache: true` would put it. */
const folderOf = Effect.fnUntraced(function* (input: CacheInput) {
  const path = yield* Path.Path
  if (Option.isSome(input.dir)) return path.resolve(input.dir.value)
  const { run } = yield* loadProject(input)
  if (run.cache !== null) return run.cache
  return (yield* loadProject(input, { cache: true })).run.cache ?? path.resolve("cache")
})

/** The cache and what it holds; a folder that is not there is not made. */
const openCache = Effect.fnUntraced(function* (input: CacheInput) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* folderOf(input)
  if (!(yield* fs.exists(folder))) return { folder, cache: null, kept: [] }
  const cache = Context.get(yield* Layer.build(ResponseCache.layer(folder)), ResponseCache)
  const kept: ReadonlyArray<CacheListing> = yield* cache.list
  return { folder, cache, kept }
})

const amount = (kept: ReadonlyArray<CacheListing>): string =>
  `${plural(kept.length, "answer")}, ${sizeText(kept.reduce((sum, { bytes }) => sum + bytes, 0))}`

const toJson = ({ bytes, caseId, contestant, createdAt, key, model }: CacheListing) => ({
  key,
  contestant,
  model,
  test_id: caseId,
  created_at: createdAt,
  bytes
})

const columns = [
  { heading: "kept (UTC)", drop: 2 },
  { heading: "contestant", min: 10 },
  { heading: "model", min: 10, drop: 3 },
  { heading: "case", min: 8 },
  { heading: "size", align: "right" as const, drop: 1 }
]

/** `arena cache ls`. */
export const listCache = (input: CacheListInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const { folder, kept } = yield* openCache(input)
    if (input.json) {
      const document = { schema_version: 1, folder, answers: kept.map(toJson) }
      return yield* stdout.write(`${stringify(document, 2)}\n`)
    }
    const shown = kept.slice(0, input.limit)
    const rows = shown.map(({ bytes, caseId, contestant, createdAt, model }) => [
      createdAt.slice(0, 16).replace("T", " "),
      contestant,
      model,
      caseId,
      sizeText(bytes)
    ])
    const more = kept.length > shown.length ? `, ${shown.length} shown` : ""
    const table = rows.length === 0 ? [] : [...lines(columns, rows, { width: stdout.columns, style: stdout.style }), ""]
    yield* stdout.write(`${[...table, `${amount(kept)} in ${folder}${more}`].join("\n")}\n`)
  }).pipe(Effect.scoped, Effect.provide(engine))

/** `arena cache prune` and, with no age, `arena cache clear`. */
export const removeFromCache = (input: CacheRemovalInput, olderThanDays: number | null) =>
  Effect.gen(function* () {
    const { cache, folder, kept } = yield* openCache(input)
    const now = yield* Clock.currentTimeMillis
    const before = olderThanDays === null ? null : new Date(now - olderThanDays * dayMs).toISOString()
    const doomed = kept.filter(({ createdAt }) => before === null || createdAt < before)
    const document = { folder, answers: doomed.length, kept: kept.length - doomed.length }
    if (cache === null || doomed.length === 0) {
      return yield* tell(input.json, `nothing to delete in ${folder}`, { action: "none", ...document })
    }
    const what = `${amount(doomed)} of ${folder}`
    if (input.dryRun) return yield* tell(input.json, `would delete ${what}`, { action: "none", ...document })
    const otherwise = "arena cache ls shows what is kept"
    yield* confirm({ ...input, what: `this deletes ${what}`, ask: "Delete?", otherwise })
    const removed = yield* cache.remove(before)
    yield* tell(input.json, `deleted ${plural(removed, "answer")}`, {
      action: "deleted",
      ...document,
      answers: removed
    })
  }).pipe(Effect.scoped, Effect.provide(engine))
