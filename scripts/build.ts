/** Builds every package with project references; `npm ci` runs it through `prepare`. */
import { spawnSync } from "node:child_process"

const run = (command: string, args: ReadonlyArray<string>) => {
  const { status } = spawnSync(command, args, { stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

run("tsc", ["-b", "packages/core", "packages/connectors", "packages/tui"])
