import * as Effect from "effect/Effect"

/** Runs an implementation that is loaded only when its command was asked for: start-up pays for no other command. */
export const lazily = <Module, A, E, R>(
  load: () => Promise<Module>,
  run: (module: Module) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.flatMap(Effect.promise(load), run)
