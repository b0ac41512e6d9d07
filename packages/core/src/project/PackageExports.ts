import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** Conditions under which Node itself would resolve an import. */
const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first path that a target of `exports` (text, list or conditions) leads to; `star` fills its `*`. */
const targetPath = (target: unknown, star: string): string | null => {
  if (typeof target === "string") return target.startsWith("./") ? target.replaceAll("*", star) : null
  if (Array.isArray(target)) {
    for (const alternative of target) {
      const path = targetPath(alternative, star)
      if (path !== null) return path
    }
    return null
  }
  if (!isRecord(target)) return null
  for (const [condition, next] of Object.entries(target)) {
    const path = conditions.has(condition) ? targetPath(next, star) : null
    if (path !== null) return path
  }
  return null
}

const matchPattern = (pattern: string, subpath: string): string | null => {
  const star = pattern.indexOf("*")
  if (star < 0) return null
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)]
  const fits = subpath.length >= pattern.length && subpath.startsWith(head) && subpath.endsWith(tail)
  return fits ? subpath.slice(head.length, subpath.length - tail.length) : null
}

/** The file that `exports` of a package gives for a subpath (`.`, `./name`); null when it gives none. */
export const exportedPath = (exports: unknown, subpath: string): string | null => {
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  if (!isMap) return subpath === "." ? targetPath(exports, "") : null
  if (Object.hasOwn(exports, subpath)) return targetPath(exports[subpath], "")
  // The longest pattern before its star is the most specific.
  const patterns = Object.keys(exports).sort((a, b) => b.indexOf("*") - a.indexOf("*"))
  for (const pattern of patterns) {
    const star = matchPattern(pattern, subpath)
    if (star !== null) return targetPath(exports[pattern], star)
  }
  return null
}

/** `name` and `.`, or `@scope/name` and `./sub/path`. */
const splitSpecifier = (specifier: string): { readonly name: string; readonly subpath: string } | null => {
  const match = /^(@[^/]+\/[^/]+|[^@./][^/]*)(\/.+)?$/.exec(specifier)
  return match === null ? null : { name: match[1] ?? "", subpath: match[2] === undefined ? "." : `.${match[2]}` }
}

const findPackage = (from: string, name: string): string | null => {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name)
    if (existsSync(join(candidate, "package.json"))) return candidate
    if (dirname(folder) === folder) return null
  }
}

/** Either the file that a package offers, or why there is none. */
export type Resolution =
  | { readonly file: string; readonly problem: null }
  | { readonly file: null; readonly problem: string }

const unresolved = (problem: string): Resolution => ({ file: null, problem })

/**
 * Finds the file of a package as an `import` in the folder `from` would: nearest `node_modules`, then `exports`, then
 * `main`. Node offers this for the importing module only, which here is not ours to write.
 */
export const resolvePackage = (from: string, specifier: string): Resolution => {
  const parts = splitSpecifier(specifier)
  if (parts === null) return unresolved(`"${specifier}" is neither a file of the project nor a package name`)
  const folder = findPackage(from, parts.name)
  if (folder === null) {
    return unresolved(`the package "${parts.name}" is not installed in the project's folder (npm i ${parts.name})`)
  }
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const exports = isRecord(manifest) ? manifest["exports"] : undefined
  if (exports === undefined || exports === null) {
    return { file: createRequire(join(from, "noop.js")).resolve(specifier), problem: null }
  }
  const path = exportedPath(exports, parts.subpath)
  const file = path === null ? null : join(folder, path)
  if (file !== null && statSync(file, { throwIfNoEntry: false })?.isFile() === true) return { file, problem: null }
  return unresolved(`the package "${parts.name}" does not export "${parts.subpath}"`)
}
