/** Run by Node itself: starts a program that never ends, and exits with 7 as soon as it has written its pid. */
import { watch } from "node:fs"
import * as Effect from "effect/Effect"
import { cellOf, configOf, readyConnector, requestOf } from "./requests.ts"

const root = process.argv[2] ?? "."
const argv = ["/bin/sh", "-c", "trap '' TERM; echo $$ > pid; mv pid self; while :; do sleep 1; done"] as const
const config = configOf({ kind: "command", source: { _tag: "Command", argv, env: {} }, env: process.env, root })

watch(root, (_, name) => {
  if (name === "self") process.exit(7)
})

const program = Effect.flatMap(readyConnector(config), (connector) => connector.generate(requestOf("?"), cellOf()))
await Effect.runPromise(Effect.scoped(program))
process.exitCode = 1
