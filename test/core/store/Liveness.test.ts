import type { RunHost } from "@agent-arena/core/domain/Run"
import { liveness, type ProcessProbe, staleAfterMs } from "@agent-arena/core/store/Liveness"
import * as LocalProcess from "@agent-arena/core/store/LocalProcess"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const here: RunHost = { pid: 1, hostname: "here", bootId: "boot 1", processStart: "10", pidNamespace: "ns 1" }

/** A machine on which process 42 started at 500, and process 43 at a time that the system does not say. */
const probe: ProcessProbe = {
  here,
  processStart: (pid) => (pid === 42 ? "500" : pid === 43 ? null : undefined)
}

const startedAt = "2026-03-01T10:00:00.000Z"
const now = Date.parse(startedAt)

const judge = (
  host: RunHost | null,
  options: { readonly sinceHeartbeatMs?: number; readonly status?: "completed" } = {}
) =>
  liveness(
    { status: options.status ?? "running", host, heartbeatAt: startedAt, startedAt },
    now + (options.sinceHeartbeatMs ?? 0),
    probe
  )

const process42: RunHost = { ...here, pid: 42, processStart: "500" }
const longAgo = { sinceHeartbeatMs: staleAfterMs + 1 }

describe("liveness", () => {
  it("has nothing to judge when the run has ended", () => {
    assert.strictEqual(judge(process42, { status: "completed" }), "ended")
  })

  it("believes the process itself, whatever its heartbeat says", () => {
    assert.strictEqual(judge(process42, longAgo), "alive")
  })

  it("sees that the process is gone, however fresh its heartbeat is", () => {
    assert.strictEqual(judge({ ...process42, pid: 44 }), "gone")
  })

  it("is not fooled by another process with the same number", () => {
    assert.strictEqual(judge({ ...process42, processStart: "499" }), "gone")
  })

  it("knows that nothing survives a restart of the machine", () => {
    assert.strictEqual(judge({ ...process42, bootId: "boot 0" }), "gone")
  })

  it("goes by the heartbeat where the process cannot be judged", () => {
    const elsewhere = [
      null,
      { ...process42, hostname: "there" },
      { ...process42, pidNamespace: "ns 2" },
      { ...process42, pid: 43 },
      { pid: 42, hostname: "here", bootId: null }
    ]
    for (const host of elsewhere) {
      assert.strictEqual(judge(host), "alive")
      assert.strictEqual(judge(host, longAgo), "gone")
    }
  })

  it("takes a heartbeat from the future, after a clock was set back, as fresh", () => {
    assert.strictEqual(judge(null, { sinceHeartbeatMs: -86_400_000 }), "alive")
  })

  it.effect("recognises this very process, and not one that does not exist", () =>
    Effect.gen(function* () {
      const host = yield* LocalProcess.current
      const local = yield* LocalProcess.probe
      const record = { status: "running" as const, host, heartbeatAt: startedAt, startedAt }
      const muchLater = now + 1e12
      assert.strictEqual(liveness(record, now, local), "alive")
      const gone = { ...record, host: { ...host, pid: 2 ** 30 } }
      assert.strictEqual(liveness(gone, muchLater, local), "gone")
    })
  )
})
