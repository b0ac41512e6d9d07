/** `arena` as a process of its own, from its sources. */
import { fileURLToPath } from "node:url"
import { main } from "@agent-arena/tui/src/main.ts"
import type { SignalName, SignalSource } from "@agent-arena/tui/src/process/Signals.ts"

const signals: SignalSource = { listener: () => process.exit(1) }
const names: ReadonlyArray<SignalName> = ["SIGINT", "SIGTERM", "SIGHUP"]
for (const name of names) process.on(name, () => signals.listener(name))

main({
  argv: process.argv.slice(2),
  home: fileURLToPath(new URL("../../../../packages/tui/", import.meta.url)),
  signals
})
