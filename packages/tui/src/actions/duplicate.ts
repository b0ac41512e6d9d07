import { cp } from "node:fs/promises"
import type { Project } from "@agent-arena/core/domain/Project"
import { locateProject } from "@agent-arena/core/project/LocateProject"
import * as Projects from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { DuplicateInput } from "../commands/duplicate.ts"
import { CommandError } from "../process/Failure.ts"
import { engine } from "./engine.ts"
import { renamed } from "./projectName.ts"
import { quoted } from "./shellWord.ts"
import { tell } from "./theRun.ts"

const refuse = (message: string, suggestion: string | null = null) =>
  new CommandError({ kind: "file", message, suggestion })

/** Folders that belong to tools and can be made again. */
const toolFolders = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"])

const isDatabase = (name: string): boolean => /\.(sqlite3?|db)(-wal|-shm|-journal)?$/.test(name)

/** Whether a file or folder is part of what the project is, not of what it has done. */
const belongs =
  (project: Project, path: Path.Path) =>
  (source: string): boolean => {
    const name = path.basename(source)
    if (source === project.root) return true
    const made = [project.output.dir, project.output.db, project.run.cache]
    return !toolFolders.has(name) && !isDatabase(name) && name !== "leaderboard.jsonl" && !made.includes(source)
  }

const checkTarget = Effect.fnUntraced(function* (project: Project, target: string, shown: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* fs.exists(target)) return yield* refuse(`${shown} exists already`, "choose another folder")
  const relative = path.relative(project.root, target)
  if (!relative.startsWith("..") && !path.isAbsolute(relative)) {
    return yield* refuse(`${shown} lies inside the project that is to be copied`, "choose a folder beside it")
  }
})

/** Writes the new name into the config, and makes sure that it is understood. */
const rename = Effect.fnUntraced(function* (configFile: string, target: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(target, path.basename(configFile))
  const text = yield* fs.readFileString(file)
  yield* fs.writeFileString(file, renamed(text, path.extname(file).toLowerCase() === ".json", name))
  const copy = yield* Projects.load(target)
  if (copy.name !== name)
    return yield* refuse(`the copy is still named ${copy.name}`, `write project: ${name} into ${file}`)
})

/** `arena duplicate`. */
export const duplicateProject = (input: DuplicateInput) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const project = yield* Projects.load(input.from)
    const { configFile } = yield* Effect.orDie(locateProject(input.from))
    const target = path.resolve(input.to)
    const name = Option.getOrElse(input.name, () => path.basename(target))
    yield* checkTarget(project, target, input.to)
    yield* Effect.tryPromise({
      try: () => cp(project.root, target, { recursive: true, filter: belongs(project, path) }),
      catch: (cause) => refuse(`cannot copy to ${input.to}: ${cause instanceof Error ? cause.message : String(cause)}`)
    })
    yield* rename(configFile, target, name)
    const text = `copied ${input.from} to ${input.to} as ${name}; run it with: arena run ${quoted(input.to)}`
    yield* tell(input.json, text, { project: name, path: target, copied_from: project.root })
  }).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.fail(refuse(error.message))),
    Effect.provide(engine)
  )
