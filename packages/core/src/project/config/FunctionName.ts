/** Names of functions in a config: `file.ts:function` or `package:function`. */
import { extname } from "node:path"
import { isModuleFile } from "../../domain/ModuleFile.ts"
import type { Path } from "../source/Path.ts"
import { quote } from "../source/Suggestion.ts"
import { error, type ReadContext } from "./ReadContext.ts"

/** A function as named, not loaded. */
export interface FunctionName {
  readonly module: string
  readonly exportName: string
}

const form = 'write "file.ts:function" or "package:function"'

/** Splits at the last colon; complains (and is null) when the text names no function. */
export const parseFunctionName = (context: ReadContext, path: Path, text: string): FunctionName | null => {
  const colon = text.lastIndexOf(":")
  const module = text.slice(0, colon).trim()
  const exportName = text.slice(colon + 1).trim()
  if (colon < 1 || module === "" || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(exportName)) {
    error(context, path, `expected the name of a function, got ${quote(text)}`, form)
    return null
  }
  if (extname(module) === ".py") {
    const instead = "rewrite it in TypeScript, or start it with command: [python3, FILE]"
    error(context, path, `${quote(text)} is a Python function, which cannot be called from here`, instead)
    return null
  }
  if (isModuleFile(module)) context.claims.push({ path, written: module, kind: "file" })
  return { module, exportName }
}
