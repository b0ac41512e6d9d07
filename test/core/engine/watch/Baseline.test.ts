import { ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import { baselineOf, type WatchedRun } from "@agent-arena/core/engine/watch/Baseline"
import { assert, describe, it } from "@effect/vitest"

const key = ContestantKey.make("one")

const run = (id: string, change: Partial<WatchedRun> & { readonly hash?: string | null } = {}): WatchedRun => {
  const { hash = "h", ...rest } = change
  return {
    runId: RunId.make(id),
    status: "completed",
    comparable: "same",
    entries: new Map([[key, { status: "ranked", composite: 0.5, hash }]]),
    ...rest
  }
}

const idsOf = (current: WatchedRun, earlier: ReadonlyArray<WatchedRun>, limit = 5): ReadonlyArray<string> | string => {
  const baseline = baselineOf(current, earlier, key, limit)
  return baseline._tag === "Runs" ? baseline.runs.map(({ runId }) => runId) : baseline._tag
}

describe("the baseline of a contestant", () => {
  it("is its completed runs of the same cases and rules, the newest first, and not the run itself", () => {
    const earlier = [run("now"), run("c"), run("b"), run("a")]
    assert.deepStrictEqual(idsOf(run("now"), earlier), ["c", "b", "a"])
    assert.deepStrictEqual(idsOf(run("now"), earlier, 2), ["c", "b"])
  })

  it("leaves out whatever says something about something else", () => {
    const earlier = [
      run("partial", { status: "partial" }),
      run("aborted", { status: "aborted" }),
      run("running", { status: "running" }),
      run("other rules", { comparable: "other" }),
      run("other contestant", { hash: "other" }),
      run("unknown contestant", { hash: null }),
      run("without it", { entries: new Map() }),
      run("good")
    ]
    assert.deepStrictEqual(idsOf(run("now"), earlier), ["good"])
  })

  it("tells a first run from a changed contestant", () => {
    assert.strictEqual(idsOf(run("now"), []), "First")
    assert.strictEqual(idsOf(run("now"), [run("a", { comparable: "other" })]), "First")
    assert.strictEqual(idsOf(run("now"), [run("a", { hash: "other" })]), "Changed")
  })

  it("of a contestant that did not run is whatever it was", () => {
    assert.deepStrictEqual(idsOf(run("now", { hash: null }), [run("b", { hash: "x" }), run("a")]), ["b", "a"])
  })
})
