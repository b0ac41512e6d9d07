/** Shows a file with whatever the desktop shows such files with. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"

type Environment = Readonly<Record<string, string | undefined>>

/** The program that opens files; null where there is no desktop, as over SSH. */
const opener = (env: Environment, platform: NodeJS.Platform): readonly [string, ReadonlyArray<string>] | null => {
  if (platform === "darwin") return ["open", []]
  if (platform === "win32") return ["explorer", []]
  const desktop = (env["DISPLAY"] ?? env["WAYLAND_DISPLAY"] ?? "") !== "" && (env["SSH_CONNECTION"] ?? "") === ""
  return desktop ? ["xdg-open", []] : null
}

/** True when a program was started with the file; what it does with it is its own affair. False where there is no such file. */
export const openFile = (path: string, env: Environment): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const found = opener(env, process.platform)
    if (found === null || !existsSync(path)) {
      resume(Effect.succeed(false))
      return
    }
    const [command, args] = found
    const child = spawn(command, [...args, path], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
