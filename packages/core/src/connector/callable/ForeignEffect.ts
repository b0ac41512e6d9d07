/**
 * Effects made by another copy of the `effect` package than the one this program runs on. A project has its own copy,
 * and the program may be a bundle with one inside; what one copy makes, only that copy is sure to run.
 */
import { requireFrom } from "../../project/NodeModule.ts"

/** The part of the module `effect/Effect` that is the same in all its versions. */
export interface EffectModule {
  readonly runPromise: (effect: unknown, options: { readonly signal: AbortSignal }) => Promise<unknown>
  readonly tryPromise: (options: {
    readonly try: (signal: AbortSignal) => Promise<unknown>
    readonly catch: (thrown: unknown) => unknown
  }) => unknown
}

const marks: ReadonlyArray<PropertyKey> = ["~effect/Effect", Symbol.for("effect/Effect")]

/** Whether a value is an Effect of whatever copy or version. */
export const isAnyEffect = (value: unknown): value is object =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && marks.some((mark) => mark in value)

const isEffectModule = (value: unknown): value is EffectModule =>
  typeof value === "object" &&
  value !== null &&
  "runPromise" in value &&
  typeof value.runPromise === "function" &&
  "tryPromise" in value &&
  typeof value.tryPromise === "function"

/** The copy of `effect` that the module in `file` imports; null when there is none. Loads it if the module has not. */
export const effectModuleOf = (file: string): EffectModule | null => {
  try {
    const found: unknown = requireFrom(file)("effect/Effect")
    return isEffectModule(found) ? found : null
  } catch {
    return null
  }
}
