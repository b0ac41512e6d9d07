/**
 * Run by Node itself: loads the functions named in its arguments from the folder given first, and prints what came of
 * each as JSON. Then replaces the file `name=content` given second, and loads the first function again.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadFunction } from "@agent-arena/core/project/ProjectModule"
import * as Effect from "effect/Effect"

const [root = "", edited = "", ...references] = process.argv.slice(2)

const load = (reference: string) => {
  const colon = reference.lastIndexOf(":")
  return loadFunction(root, { module: reference.slice(0, colon), exportName: reference.slice(colon + 1) }).pipe(
    Effect.map(({ call }) => ({ reference, answer: String(call("x")) })),
    Effect.catch((error) => Effect.succeed({ reference, error: error.message }))
  )
}

const program = Effect.gen(function* () {
  const outcomes = yield* Effect.forEach(references, load)
  const equals = edited.indexOf("=")
  writeFileSync(join(root, edited.slice(0, equals)), edited.slice(equals + 1))
  return [...outcomes, yield* load(references[0] ?? "")]
})

console.log(JSON.stringify(await Effect.runPromise(program)))
