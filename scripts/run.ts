import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Absolute path of the repository, with a final separator. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs a script with this very Node, quietly or with our own output, and resolves with its exit code. */
export const run = (args: ReadonlyArray<string>, stdio: "inherit" | "ignore" = "inherit"): Promise<number> =>
  new Promise((resolve, reject) => {
    spawn(process.execPath, args, { cwd: root, stdio })
      .once("error", reject)
      .once("close", (code) => resolve(code ?? 1))
  })
