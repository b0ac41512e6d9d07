import type { Project } from "@agent-arena/core/domain/Project"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findRun, readStores } from "../projectStores.ts"

/** The run that is asked for; the latest by default. */
export const namedRun = Effect.fnUntraced(function* (
  project: Project,
  { run }: { readonly run: Option.Option<string> }
) {
  const stores = yield* readStores(project)
  const found = yield* findRun(
    stores,
    project,
    Option.getOrElse(run, () => "latest")
  )
  return { run: found, store: stores.store }
})
