/**
 * What the database refused to take (a full disk, an I/O error), kept in a side file until the database is opened
 * again: lines of JSON, one file a run, beside the database or, when there is no room, in the folder for temporary files.
 */
import { createHash } from "node:crypto"
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import * as ExactJson from "./ExactJson.ts"
import type { RunFooter } from "./RunHeader.ts"

/** One line of a side file. */
export interface SpillLine {
  readonly runId: RunId
  readonly segment: number
  readonly result?: CallResult
  /** What the result has cost when it was measured, USD; null = unknown. */
  readonly paidUsd?: number | null
  readonly footer?: RunFooter
}

const suffix = ".spill.jsonl"

/** Folders that may hold side files of this database, and how their names begin there. */
const places = (path: string): ReadonlyArray<{ readonly folder: string; readonly prefix: string }> =>
  // What lived in memory has nothing to return to.
  path === ":memory:"
    ? []
    : [
        { folder: dirname(path), prefix: `${basename(path)}.` },
        { folder: tmpdir(), prefix: `arena-${createHash("sha256").update(path).digest("hex").slice(0, 16)}-` }
      ]

/** Appends and syncs, or leaves the file as it was. */
const append = (file: string, text: string): void => {
  // Only for the owner, because outputs may be private; never through a link that somebody else has put there.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const fd = openSync(file, flags, 0o600)
  try {
    const before = fstatSync(fd).size
    try {
      const bytes = Buffer.from(text, "utf8")
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
      fsyncSync(fd)
    } catch (cause) {
      if (before === 0) unlinkSync(file)
      else ftruncateSync(fd, before)
      throw cause
    }
  } finally {
    closeSync(fd)
  }
}

/** Keeps the lines; returns the file that has them, or null when no place takes them. */
export const keep = (path: string, runId: RunId, lines: ReadonlyArray<SpillLine>): string | null => {
  const text = lines.map((line) => `${ExactJson.stringify(line)}\n`).join("")
  for (const { folder, prefix } of places(path)) {
    const file = join(folder, `${prefix}${encodeURIComponent(runId.toWellFormed())}${suffix}`)
    try {
      append(file, text)
      return file
    } catch {
      // The next place may have room.
    }
  }
  return null
}

/** The side files that exist for this database. */
export const files = (path: string): ReadonlyArray<string> =>
  places(path).flatMap(({ folder, prefix }) => {
    try {
      return readdirSync(folder)
        .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
        .map((name) => join(folder, name))
    } catch {
      return []
    }
  })
