/** Writes a conversation to a file that an agent can read. */
import { hash } from "node:crypto"
import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type OffloadPlan, traceXml } from "./TraceXml.ts"
import { type LogEntry, transcript, turnsOf } from "./Transcript.ts"

/** A trace that could not be written. */
export class TraceError extends Schema.TaggedError<TraceError>()("TraceError", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot write the trace ${this.path}: ${this.detail}`
  }
}

export const defaultThreshold = 2_000
export const thresholdVariable = "ARENA_TRACE_TRUNCATION_THRESHOLD"

/** The threshold of offloading, characters, from the environment; with a warning when what is written there is no number. */
export const thresholdFrom = (
  env: Readonly<Record<string, string | undefined>>
): { readonly threshold: number; readonly warning: string | null } => {
  const written = env[thresholdVariable]
  if (written === undefined || written.trim() === "") return { threshold: defaultThreshold, warning: null }
  const threshold = Number(written)
  if (Number.isInteger(threshold)) return { threshold, warning: null }
  const warning = `${thresholdVariable}=${JSON.stringify(written)} is no whole number; ${defaultThreshold} is used`
  return { threshold: defaultThreshold, warning }
}

/** A name that is safe in every file system. */
export const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_")

const banner = ["# CONVERSATION TRACE", "# Written for an agent that reads this conversation.", ""].join("\n")
const rule = `# ${"=".repeat(60)}`

export interface TraceRequest {
  /** Folder under which `traces/` is made; null = a fresh temporary folder. */
  readonly folder: string | null
  /** Begins the file's name; made safe. */
  readonly id: string
  /** 0-based; null = not part of the name. */
  readonly turn: number | null
  readonly log: ReadonlyArray<LogEntry>
  /** Characters; blocks that are longer get files of their own. */
  readonly threshold: number
}

/** The same document as text, with nothing set aside. */
export const traceText = (log: ReadonlyArray<LogEntry>): string => traceXml(turnsOf(log), null).xml

/** First ten hex digits of the SHA-256 of a transcript. */
export const transcriptDigest = (log: ReadonlyArray<LogEntry>): string =>
  hash("sha256", transcript(log), "hex").slice(0, 10)

const write = async (request: TraceRequest): Promise<string> => {
  const own = request.folder !== null
  const folder = own ? join(request.folder ?? "", "traces") : await mkdtemp(join(tmpdir(), "agent_arena_traces_"))
  const artifacts = join(folder, "artifacts")
  const plan: OffloadPlan | null = own
    ? { threshold: request.threshold, pathOf: (file) => join(artifacts, file) }
    : null
  const { offloaded, xml } = traceXml(turnsOf(request.log), plan)
  await mkdir(offloaded.length > 0 ? artifacts : folder, { recursive: true })
  for (const { content, file } of offloaded) await writeFile(join(artifacts, file), content)
  const turn = request.turn === null ? "" : `_turn${request.turn}`
  const path = join(folder, `${safeName(request.id)}${turn}_trace.txt`)
  await writeFile(path, `${banner}\n# CONVERSATION\n${rule}\n${xml}`)
  return path
}

/** Writes `<folder>/traces/<id>_turn<N>_trace.txt` and the files of long blocks; returns its absolute path. */
export const materialiseTrace = (request: TraceRequest): Effect.Effect<string, TraceError> =>
  Effect.tryPromise({
    try: () => write(request),
    catch: (cause) =>
      new TraceError({
        path: request.folder ?? tmpdir(),
        detail: cause instanceof Error ? cause.message : String(cause)
      })
  })
