/** Reads the live file of a run that another process executes. */
import { readFileSync, statSync } from "node:fs"
import { hostname } from "node:os"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RunHost } from "../../domain/Run.ts"
import { liveFileOf } from "../../store/LiveFile.ts"
import type { RunPulse } from "../../store/RunPulse.ts"
import { LiveDocument } from "./LiveState.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(LiveDocument))

const isSameProcess = (a: RunHost, b: RunHost): boolean =>
  a.pid === b.pid &&
  a.hostname === b.hostname &&
  a.bootId === b.bootId &&
  a.processStart === b.processStart &&
  a.pidNamespace === b.pidNamespace

/** Whether the document is about the part of the run that goes on now, on this machine. */
const isTrue = ({ host, segment, snapshot }: LiveDocument, runId: string, pulse: RunPulse): boolean =>
  pulse.liveness === "alive" &&
  pulse.host !== null &&
  pulse.host.hostname === hostname() &&
  isSameProcess(host, pulse.host) &&
  segment === pulse.segment &&
  snapshot.runId === runId

/**
 * A reader of one run's file. Null when there is none, when it cannot be read, or when the process that wrote it is not
 * the one that executes the run: what a crash has left behind is not believed. A file that has not changed is not read
 * again.
 */
export const makeLiveReader = (database: string, runId: string): ((pulse: RunPulse) => LiveDocument | null) => {
  const file = liveFileOf(database, runId)
  let known: { readonly mark: string; readonly document: LiveDocument | null } | null = null
  const read = (): LiveDocument | null => {
    if (file === null) return null
    try {
      const { ino, mtimeMs, size } = statSync(file)
      const mark = `${ino} ${mtimeMs} ${size}`
      if (known?.mark !== mark) known = { mark, document: Option.getOrNull(decode(readFileSync(file, "utf8"))) }
      return known.document
    } catch {
      return null
    }
  }
  return (pulse) => {
    const document = read()
    return document !== null && isTrue(document, runId, pulse) ? document : null
  }
}
