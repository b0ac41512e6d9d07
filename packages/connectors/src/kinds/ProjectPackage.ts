/** Provider packages that a project installs itself. */

import * as fs from "node:fs/promises"
import { createRequire, findPackageJSON } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { ConnectorError } from "@agent-arena/core/connector/Connector"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const codeOf = (error: unknown): unknown => (isRecord(error) ? error["code"] : undefined)

/** The file behind the `import` condition of a package that cannot be required. */
const importEntry = (exports: unknown): string | null => {
  if (typeof exports === "string") return exports
  if (!isRecord(exports)) return null
  for (const name of [".", "import", "node", "default"]) {
    const found = importEntry(exports[name])
    if (found !== null) return found
  }
  return null
}

const entryFromManifest = async (name: string, base: string): Promise<string | null> => {
  const manifest = findPackageJSON(name, base)
  if (manifest === undefined) return null
  const parsed: unknown = JSON.parse(await fs.readFile(manifest, "utf8"))
  const entry = isRecord(parsed) ? importEntry(parsed["exports"]) : null
  return entry === null ? null : path.resolve(path.dirname(manifest), entry)
}

/** The entry file of a package as seen from `base`, a file path; null = it is not installed there. */
const resolveFrom = async (name: string, base: string): Promise<string | null> => {
  try {
    return createRequire(base).resolve(name)
  } catch (error) {
    return codeOf(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? entryFromManifest(name, base) : null
  }
}

/** The module of a package: the project's own, else the one beside this program; null = neither has it. */
const load = async (name: string, root: string): Promise<Json | null> => {
  const entry =
    (await resolveFrom(name, path.join(root, "package.json"))) ?? (await resolveFrom(name, import.meta.filename))
  if (entry === null) return null
  const loaded: unknown = await import(pathToFileURL(entry).href)
  return isRecord(loaded) ? loaded : null
}

/** A module namespace is not a plain object, but has the same shape. */
const words = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** How to make a model with a package. */
export interface PackageUse {
  readonly name: string
  /** What to install: the name with the major version whose models fit. */
  readonly install: string
  /** Name of the export that makes a provider; null = the one that looks like it (`createX`). */
  readonly factory: string | null
  readonly root: string
  readonly settings: Json
  /** Methods of the provider that make the model, in order of preference. */
  readonly methods: ReadonlyArray<string>
  readonly model: string
}

const notInstalled = (use: PackageUse): ConnectorError =>
  new ConnectorError({ detail: `the package ${use.name} is not installed`, suggestion: `npm i ${use.install}` })

const unfit = (use: PackageUse, detail: string): ConnectorError =>
  new ConnectorError({ detail: `${use.name} ${detail}`, suggestion: null })

type Callable = (...args: ReadonlyArray<unknown>) => unknown

const isCallable = (value: unknown): value is Callable => typeof value === "function"

/** `createX` of the module: the named one, else the shortest name, which is the package's main one. */
const factoryOf = (loaded: Json, use: PackageUse): Callable | null => {
  if (use.factory !== null) {
    const named = loaded[use.factory]
    return isCallable(named) ? named : null
  }
  const names = Object.keys(loaded).filter((name) => /^create[A-Z]/.test(name) && isCallable(loaded[name]))
  const main = names.toSorted((left, right) => left.length - right.length)[0]
  const found = main === undefined ? undefined : loaded[main]
  return isCallable(found) ? found : null
}

const isModel = (value: unknown): value is LanguageModelV4 =>
  typeof value === "object" &&
  value !== null &&
  "specificationVersion" in value &&
  value.specificationVersion === "v4" &&
  "doStream" in value &&
  isCallable(value.doStream)

const versionOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "specificationVersion" in value
    ? `specification ${String(value.specificationVersion)}`
    : "an unknown kind"

const makeModel = (provider: unknown, use: PackageUse): unknown => {
  for (const method of use.methods) {
    const make: unknown =
      provider === null || provider === undefined ? undefined : Reflect.get(Object(provider), method)
    if (isCallable(make)) return make.call(provider, use.model)
  }
  return isCallable(provider) ? provider(use.model) : undefined
}

/** Loads a package from the project (or from beside this program) and makes a model with it. */
export const model = Effect.fnUntraced(function* (use: PackageUse): Effect.fn.Return<LanguageModelV4, ConnectorError> {
  const loaded = yield* Effect.tryPromise({
    try: () => load(use.name, use.root),
    catch: (error) => unfit(use, `cannot be loaded: ${words(error)}`)
  })
  if (loaded === null) return yield* notInstalled(use)
  const factory = factoryOf(loaded, use)
  if (factory === null) return yield* unfit(use, "exports no function that creates a provider")
  const made = yield* Effect.try({
    try: () => makeModel(factory(use.settings), use),
    catch: (error) => unfit(use, `refuses its settings: ${words(error)}`)
  })
  if (isModel(made)) return made
  return yield* new ConnectorError({
    detail: `${use.name} makes models of ${versionOf(made)}; specification v4 (AI SDK 7) is needed`,
    suggestion: `npm i ${use.install}`
  })
})
