import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { exportedFunction, findModule, type ImportedModule, importModule, ModuleProblem } from "./NodeModule.ts"

/** A module of the project that cannot be used. */
export class ModuleError extends Schema.TaggedError<ModuleError>()("ModuleError", {
  /** As written in the config: `file.ts` or a package name. */
  module: Schema.String,
  exportName: Schema.NullOr(Schema.String),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.module}${this.exportName === null ? "" : `:${this.exportName}`}: ${this.detail}`
  }
}

/** A function that a project names as `file.ts:function` or `package:function`. */
export interface ModuleFunction {
  /** As written in the config: `file.ts` or a package name. */
  readonly module: string
  readonly exportName: string
}

/** A loaded module of the project: absolute file, SHA-256 (hex) of its content, its exports. */
export type LoadedModule = ImportedModule

/** A loaded function of the project, and the module it comes from. */
export interface LoadedFunction extends LoadedModule {
  readonly call: (...args: ReadonlyArray<unknown>) => unknown
}

/** A module that waits for something at its top level must not hold up the project for ever. */
const loadLimitSeconds = 60

const moduleError = (module: string, exportName: string | null, thrown: unknown): ModuleError =>
  new ModuleError({ module, exportName, detail: thrown instanceof ModuleProblem ? thrown.detail : String(thrown) })

/**
 * Loads a module: a file relative to `root` (TypeScript through Node's own type stripping), or a package installed for
 * the project. A file that was edited since it was last loaded is loaded again. Its top-level code runs.
 */
export const loadModule = (root: string, module: string): Effect.Effect<LoadedModule, ModuleError> =>
  Effect.tryPromise({
    try: () => importModule(root, module),
    catch: (thrown) => moduleError(module, null, thrown)
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${loadLimitSeconds} seconds`,
      orElse: () => {
        const detail = `it is still loading after ${loadLimitSeconds} s (an await at its top level that never ends?)`
        return Effect.fail(new ModuleError({ module, exportName: null, detail }))
      }
    })
  )

/** Loads a function; `exportName` may be `default`. */
export const loadFunction = (root: string, reference: ModuleFunction): Effect.Effect<LoadedFunction, ModuleError> => {
  const { module, exportName } = reference
  return Effect.matchEffect(loadModule(root, module), {
    onFailure: ({ detail }) => Effect.fail(new ModuleError({ module, exportName, detail })),
    onSuccess: (loaded) =>
      Effect.try({
        try: () => ({ ...loaded, call: exportedFunction(loaded.exports, exportName) }),
        catch: (thrown) => moduleError(module, exportName, thrown)
      })
  })
}

/** SHA-256 (hex) of a module's file, without loading it: what decides whether results may be reused. */
export const moduleHash = (root: string, module: string): Effect.Effect<string, ModuleError> =>
  Effect.try({
    try: () => findModule(root, module).hash,
    catch: (thrown) => moduleError(module, null, thrown)
  })
