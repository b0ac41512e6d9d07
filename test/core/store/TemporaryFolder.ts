import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** A folder that is removed when the test ends. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
