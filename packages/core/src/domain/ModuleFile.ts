/** Which files of a project are modules, by their names alone. */
import { basename, extname } from "node:path"

const extensions: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"])

/** Whether a name means a file of a project rather than a package. */
export const isModuleFile = (name: string): boolean => extensions.has(extname(name))

/** Whether a file found in a folder of scorers is one: hidden ones, parts of others (`_`), declarations and tests are not. */
export const isScorerModule = (name: string): boolean =>
  isModuleFile(name) && !/^[_.]/.test(basename(name)) && !/\.d\.[cm]?ts$|\.(?:test|spec)\.[cm]?[jt]s$/.test(name)
