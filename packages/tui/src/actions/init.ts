import { stringify } from "@agent-arena/core/report/JsonText"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { CommandError } from "../process/Failure.ts"
import { Installation } from "../process/Installation.ts"
import { Output } from "../process/Output.ts"
import { schemaText } from "./schema.ts"
import { quoted } from "./shellWord.ts"

export interface InitInput {
  readonly path: string
  readonly name: Option.Option<string>
  readonly force: boolean
  readonly json: boolean
}

const refuse = (message: string, suggestion: string | null = null) =>
  new CommandError({ kind: "file", message, suggestion })

/** Entries of the folder; empty when it does not exist. */
const entries = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(folder))) return []
  const { type } = yield* fs.stat(folder)
  if (type !== "Directory") return yield* refuse(`${folder} exists and is not a folder`)
  return yield* fs.readDirectory(folder)
})

/** The template's config under the project's own name; a JSON string is a YAML string, whatever it contains. */
const renamed = (config: string, name: string): string =>
  config.replace(/^project:.*$/m, () => `project: ${/^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name)}`)

/** The schemas that the first lines of both files name, so that editors complete and check them. */
const writeSchemas = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fs.makeDirectory(path.join(folder, ".arena"), { recursive: true })
  for (const file of ["config", "tests"] as const) {
    yield* fs.writeFileString(path.join(folder, ".arena", `${file}.schema.json`), schemaText(file))
  }
})

const nextSteps = (path: string): ReadonlyArray<string> => {
  const steps = [
    [`arena run ${quoted(path)}`, "runs now, without a key or a network"],
    [`edit ${quoted(`${path}/tests.yaml`)}`, "put in your cases, then your models in config.yaml"],
    [`arena validate ${quoted(path)}`, "checks both files and says what would be skipped"]
  ] as const
  const width = Math.max(...steps.map(([command]) => command.length))
  return ["next:", ...steps.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`)]
}

/** Copies the template into a folder and says what to do next. */
export const initProject = Effect.fn("arena.init")(function* (input: InitInput) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { template } = yield* Installation
  const { stdout } = yield* Output
  const folder = path.resolve(input.path)
  const present = yield* entries(folder)
  if (present.length > 0 && !input.force) {
    return yield* refuse(`${input.path} is not empty`, "choose another folder, or --force to write into this one")
  }
  const name = Option.getOrElse(input.name, () => path.basename(folder))
  yield* fs.makeDirectory(folder, { recursive: true })
  const files = (yield* fs.readDirectory(template)).toSorted()
  for (const file of files) {
    const text = yield* fs.readFileString(path.join(template, file))
    yield* fs.writeFileString(path.join(folder, file), file === "config.yaml" ? renamed(text, name) : text)
  }
  yield* writeSchemas(folder)
  const created = [
    `${stdout.style.good("created")} ${input.path}`,
    ...files.map((file) => `  ${file}`),
    "  .arena/ (for editors)",
    ""
  ]
  yield* stdout.write(
    input.json
      ? `${stringify({ schema_version: 1, project: name, path: folder, files }, 2)}\n`
      : `${[...created, ...nextSteps(input.path)].join("\n")}\n`
  )
})
