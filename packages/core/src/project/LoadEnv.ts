import { homedir } from "node:os"
import { join } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as EnvFile from "./EnvFile.ts"
import type { IssueLog } from "./source/IssueLog.ts"
import * as ProjectFiles from "./source/ProjectFiles.ts"

const limit = 1024 * 1024

/** The folder of the user's own settings: `$XDG_CONFIG_HOME/agent-arena`, by default in `~/.config`. */
const userFolder = Config.String("XDG_CONFIG_HOME").pipe(
  Effect.map((folder) => (folder.trim() === "" ? null : folder)),
  Effect.orElseSucceed(() => null),
  Effect.map((folder) => join(folder ?? join(homedir(), ".config"), "agent-arena"))
)

const readOne = Effect.fnUntraced(function* (path: string, file: string, log: IssueLog) {
  const kind = yield* Effect.orElseSucceed(ProjectFiles.kindOf(path), () => null)
  if (kind === null) return {}
  const source = yield* Effect.result(ProjectFiles.readText(path, file, limit))
  if (source._tag === "Failure") {
    log.error(source.failure.position, source.failure.message, source.failure.suggestion)
    return {}
  }
  const { variables, ignored } = EnvFile.parse(source.success.text)
  for (const line of ignored) {
    log.warn({ file, line, column: 1 }, "the line is left out: it is not NAME=value", null)
  }
  return variables
})

/** Variables of the user's `.env` under those of the project's. The process environment is neither read nor changed. */
export const loadEnv = Effect.fnUntraced(function* (root: string, display: (path: string) => string, log: IssueLog) {
  const user = join(yield* userFolder, ".env")
  const own = join(root, ".env")
  return { ...(yield* readOne(user, user, log)), ...(yield* readOne(own, display(own), log)) }
})
