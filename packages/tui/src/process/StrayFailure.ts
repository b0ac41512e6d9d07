/** Failures that nobody handles, such as a promise that a target has forgotten. */

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)

/** Where it was thrown, as the first line of the stack that is not Node's own says. */
const placeOf = (thrown: unknown): string => {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : ""
  const frame = stack.split("\n").find((line) => /^\s*at /.test(line) && !line.includes("node:"))
  const place = frame === undefined ? undefined : /\(?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?$/.exec(frame)?.[1]
  return place === undefined ? "" : ` (${place.replace("file://", "")})`
}

/** One line: what failed, and where. */
export const strayFailure = (thrown: unknown): string => `${describe(thrown)}${placeOf(thrown)}`

/**
 * Calls `onFirst` at the first failure that nobody handles; Node itself would end the process on the spot, with
 * everything that is in flight. Later ones change nothing: the end has begun.
 */
export const listen = (onFirst: (message: string) => void): { readonly first: () => string | null } => {
  let first: string | null = null
  const hear = (thrown: unknown): void => {
    if (first !== null) return
    first = strayFailure(thrown)
    onFirst(first)
  }
  process.on("uncaughtException", hear)
  process.on("unhandledRejection", hear)
  return { first: () => first }
}
