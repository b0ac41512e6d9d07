/** What is left in memory when the process exits at once is kept, too: a side file can be written without waiting. */

const keepers = new Set<() => void>()
let isListening = false

const listen = (): void => {
  if (isListening) return
  isListening = true
  process.on("exit", () => {
    for (const keep of keepers) keep()
  })
}

/** Calls `keep` if the process exits; returns how to take that back. */
export const beforeExit = (keep: () => void): (() => void) => {
  listen()
  keepers.add(keep)
  return () => {
    keepers.delete(keep)
  }
}
