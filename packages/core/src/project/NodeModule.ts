/** Modules of a project, loaded by Node itself. Knows nothing of Effect, so that worker threads start quickly. */
import { execFile } from "node:child_process"
import { hash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { extname, isAbsolute, relative, resolve, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { didYouMean } from "../domain/DidYouMean.ts"
import { resolvePackage } from "./PackageExports.ts"

/** Why a module cannot be used, in one line without a stack. */
export class ModuleProblem {
  readonly detail: string
  constructor(detail: string) {
    this.detail = detail
  }
}

/** A module that was found. `hash` is the SHA-256 (hex) of its file; what it imports is not part of it. */
export interface ModuleFile {
  readonly file: string
  readonly hash: string
}

/** A module that was loaded. */
export interface ImportedModule extends ModuleFile {
  readonly exports: Readonly<Record<string, unknown>>
}

const runnable = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"])
/** Extensions that name a file, too, but not one that Node can load. */
const foreign = new Set([".tsx", ".jsx", ".py", ".rb", ".sh", ".json"])

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

const shown = (root: string, file: string): string => {
  const path = relative(root, file)
  return path.startsWith("..") ? file : path.split(sep).join("/")
}

const findFile = (root: string, module: string): string => {
  const path = resolve(root, module)
  if (isFile(path)) return path
  const extension = extname(module)
  const namesFile = module.startsWith(".") || isAbsolute(module) || runnable.has(extension) || foreign.has(extension)
  const isScoped = module.startsWith("@")
  if (namesFile && !isScoped) throw new ModuleProblem(`the file ${path} does not exist`)
  const { file, problem } = resolvePackage(root, module)
  if (file === null) throw new ModuleProblem(problem)
  return file
}

/** Finds a module (`file.ts` relative to `root`, or a package of the project) without loading it. */
export const findModule = (root: string, module: string): ModuleFile => {
  const file = findFile(root, module)
  const extension = extname(file)
  if (foreign.has(extension)) {
    const instead = extension === ".tsx" || extension === ".jsx" ? "use .ts or .js" : "a program is written as command:"
    throw new ModuleProblem(`Node cannot run ${extension} files; ${instead}`)
  }
  return { file, hash: hash("sha256", readFileSync(file), "hex") }
}

/** What was first loaded from a file in this process: Node keeps a module for ever under the address it was loaded by. */
const firstLoaded = new Map<string, string>()

/** A file that has changed since it was first loaded gets an address of its own, so that an edit takes effect. */
const addressOf = ({ file, hash }: ModuleFile): string => {
  const first = firstLoaded.get(file) ?? hash
  firstLoaded.set(file, first)
  const address = pathToFileURL(file).href
  return first === hash ? address : `${address}?content=${hash.slice(0, 16)}`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 400)

/** `file:line[:column]` at the head of a stack, where Node puts the place of a syntax error. */
const headPlace = (root: string, stack: string): string | null => {
  const match = /^(file:\/\/\S+?|\/\S+?|[A-Za-z]:\\\S+?):(\d+)\r?\n/.exec(stack)
  if (match === null) return null
  const path = match[1] ?? ""
  return `${shown(root, path.startsWith("file:") ? fileURLToPath(path.replace(/\?.*$/, "")) : path)}:${match[2]}`
}

/** The first frame of a stack that lies in a file of the project. */
const framePlace = (root: string, stack: string): string | null => {
  for (const match of stack.matchAll(/(file:\/\/[^\s()]+?|\/[^\s()]+?)(?:\?[^\s():]*)?:(\d+):(\d+)\)?$/gm)) {
    const path = match[1] ?? ""
    const file = path.startsWith("file:") ? fileURLToPath(path) : path
    if (file.startsWith(root + sep) && !file.includes("node_modules")) {
      return `${shown(root, file)}:${match[2]}:${match[3]}`
    }
  }
  return null
}

/** Node says where JavaScript does not parse only when it checks a file by itself. */
const checkedPlace = (root: string, file: string): Promise<string | null> =>
  new Promise((settle) => {
    execFile(process.execPath, ["--check", file], { timeout: 5000 }, (_error, _stdout, stderr) => {
      settle(headPlace(root, stderr))
    })
  })

const explain = async (root: string, file: string, thrown: unknown): Promise<string> => {
  const error = isObject(thrown) ? thrown : {}
  const message = oneLine(typeof error["message"] === "string" ? error["message"] : String(thrown))
  const stack = typeof error["stack"] === "string" ? error["stack"] : ""
  const code = error["code"]
  if (error["name"] === "SyntaxError") {
    const place = headPlace(root, stack) ?? (await checkedPlace(root, file))
    const hint = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ? "; Node only erases types" : ""
    return `syntax error at ${place ?? shown(root, file)}: ${message}${hint}`
  }
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
    const name = /Cannot find package '([^']+)'/.exec(message)?.[1]
    const install = name === undefined ? "" : ` (npm i ${name} in the project's folder)`
    return `something it imports is missing: ${message}${install}`
  }
  const place = framePlace(root, stack)
  return `it throws while it is loaded${place === null ? "" : ` at ${place}`}: ${message}`
}

/** Loads a module of the project; rejects with `ModuleProblem` only. */
export const importModule = async (root: string, module: string): Promise<ImportedModule> => {
  let found: ModuleFile
  try {
    found = findModule(root, module)
  } catch (thrown) {
    if (thrown instanceof ModuleProblem) throw thrown
    throw new ModuleProblem(oneLine(isObject(thrown) ? String(thrown["message"]) : String(thrown)))
  }
  try {
    const namespace: unknown = await import(addressOf(found))
    return { ...found, exports: isObject(namespace) ? namespace : {} }
  } catch (thrown) {
    throw new ModuleProblem(await explain(root, found.file, thrown))
  }
}

type AnyFunction = (...args: ReadonlyArray<unknown>) => unknown

const isFunction = (value: unknown): value is AnyFunction => typeof value === "function"

/** One export by name; that of a CommonJS module may only be found on its default export. */
const exportOf = (exports: ImportedModule["exports"], name: string): unknown => {
  if (Object.hasOwn(exports, name)) return exports[name]
  const inner = exports["default"]
  return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
}

/** The names under which a module offers functions. */
const functionNames = (exports: ImportedModule["exports"]): ReadonlyArray<string> => {
  const inner = exports["default"]
  const names = new Set([...Object.keys(exports), ...(isObject(inner) ? Object.keys(inner) : [])])
  return [...names].filter((name) => name !== "module.exports" && isFunction(exportOf(exports, name)))
}

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`

/**
 * The function that a module exports as `name` (`default` included).
 *
 * @throws ModuleProblem which says what the module exports instead
 */
export const exportedFunction = (exports: ImportedModule["exports"], name: string): AnyFunction => {
  const found = exportOf(exports, name)
  if (isFunction(found)) return found
  if (found !== undefined) throw new ModuleProblem(`this export is ${kindOf(found)}, not a function`)
  const names = functionNames(exports)
  const near = didYouMean(name, names)
  const offered = names.length === 0 ? "it exports no function" : `it exports ${names.join(", ")}`
  throw new ModuleProblem(`no such export; ${offered}${near === null ? "" : ` (${near})`}`)
}

/** `require` as the module in `file` would use it, which also loads ES modules. */
export const requireFrom = (file: string): NodeJS.Require => createRequire(file)
