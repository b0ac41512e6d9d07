import type { RunHost } from "@agent-arena/core/domain/Run"
import { stopTarget } from "@agent-arena/tui/src/actions/stopTarget.ts"
import { assert, describe, it } from "@effect/vitest"

const here: RunHost = { pid: 1, hostname: "here", bootId: "boot", processStart: "1", pidNamespace: "pid:[1]" }
const host: RunHost = { ...here, pid: 42, processStart: "77" }
const now = Date.parse("2026-01-01T12:00:00Z")
const seen = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString()

const target = (options: {
  readonly host?: RunHost | null
  readonly secondsAgo?: number
  /** What the system says of the process. */
  readonly start?: string | null | undefined
}) =>
  stopTarget(
    {
      host: options.host === undefined ? host : options.host,
      heartbeatAt: seen(options.secondsAgo ?? 3),
      startedAt: seen(600)
    },
    now,
    { here, processStart: () => ("start" in options ? options.start : "77") }
  )

const reason = (options: Parameters<typeof target>[0]): string => {
  const found = target(options)
  return found._tag === "NotHere" ? `${found.reason}; ${found.suggestion}` : "signalled"
}

describe("whom arena stop signals", () => {
  it("is the very process that runs it, known by its start", () => {
    assert.deepStrictEqual(target({}), { _tag: "Process", pid: 42 })
    assert.deepStrictEqual(target({ secondsAgo: 3_000 }), { _tag: "Process", pid: 42 })
    assert.include(reason({ start: "78" }), "process 42 is not the one that ran it")
  })

  it("is, where starts are not told, a process that gave a sign just now", () => {
    const { processStart: _, ...unknownStart } = host
    assert.strictEqual(reason({ host: unknownStart }), "signalled")
    assert.strictEqual(reason({ start: null }), "signalled")
    assert.include(reason({ host: unknownStart, secondsAgo: 60 }), "it is not certain that process 42")
    assert.include(reason({ start: null, secondsAgo: -60 }), "it is not certain")
  })

  it("is nobody elsewhere, and nobody at all when the process is gone or unknown", () => {
    assert.include(
      reason({ host: { ...host, hostname: "there" } }),
      "it runs on there as process 42; run arena stop there"
    )
    assert.include(reason({ host: { ...host, pidNamespace: "pid:[2]" } }), "another container")
    assert.include(reason({ start: undefined }), "it is not certain")
    assert.include(reason({ host: null }), "nothing is known of its process")
  })
})
