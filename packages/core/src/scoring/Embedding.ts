/** Embedding functions of a project: `file.ts:function`, loaded once. */
import { isAbsolute, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { ModuleError } from "../project/ProjectModule.ts"

/** Imports a module of the project and gives its exports: the module namespace itself, so that it is known again. */
export type ImportModule = (absoluteFile: string) => Effect.Effect<Readonly<Record<string, unknown>>, ModuleError>

type AnyFunction = (...args: ReadonlyArray<unknown>) => unknown

/** Turns a text into whatever the project's function returns; fails with what went wrong. */
export type Embed = (text: string) => Effect.Effect<unknown, string>

/** Finds an embedding function by how a config names it; fails with what is wrong. */
export type FindEmbedding = (reference: string) => Effect.Effect<Embed, string>

const shape = /^(.+\.(?:[mc]?[jt]s)):([A-Za-z_$][\w$]*)$/

/** Why a text does not name a function; null = it does. */
export const malformedReference = (reference: string): string | null =>
  shape.test(reference) ? null : `expected "file.ts:function"; got ${JSON.stringify(reference)}`

const isFunction = (value: unknown): value is AnyFunction => typeof value === "function"

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const embedWith =
  (run: AnyFunction): Embed =>
  (text) =>
    Effect.flatMap(Effect.try({ try: () => run(text), catch: messageOf }), (value): Effect.Effect<unknown, string> => {
      if (Effect.isEffect(value)) {
        // What a project file returns has no requirements that anything here could meet.
        return Effect.mapError(value as Effect.Effect<unknown, unknown>, messageOf)
      }
      return isPromiseLike(value) ? Effect.tryPromise({ try: () => value, catch: messageOf }) : Effect.succeed(value)
    })

/** Loads embedding functions of a project folder, each once. */
export const embeddingFinder = (root: string, importModule: ImportModule): FindEmbedding => {
  const found = new Map<string, Embed>()
  return (reference) => {
    const known = found.get(reference)
    if (known !== undefined) return Effect.succeed(known)
    const [, file = "", name = ""] = shape.exec(reference) ?? []
    const malformed = malformedReference(reference)
    if (malformed !== null) return Effect.fail(malformed)
    const path = isAbsolute(file) ? file : resolve(root, file)
    return Effect.flatMap(
      Effect.mapError(importModule(path), (error) => `${reference}: ${error.detail}`),
      (exports) => {
        const run = exports[name]
        if (!isFunction(run)) return Effect.fail(`${file} exports no function "${name}"`)
        const embed = embedWith(run)
        found.set(reference, embed)
        return Effect.succeed(embed)
      }
    )
  }
}

/** For where there is no project to load a function from. */
export const noEmbeddings: FindEmbedding = () => Effect.fail("embedding functions need a project")
