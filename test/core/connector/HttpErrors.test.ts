import { errorFromResponse, parseRetryAfter } from "@agent-arena/core/connector/HttpErrors"
import { errorFromThrown } from "@agent-arena/core/connector/ThrownError"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const now = Date.UTC(2026, 8, 2, 12, 0, 0)
const waitFor = (value: string) => parseRetryAfter({ "Retry-After": value }, now)

describe("Retry-After", () => {
  it("is understood as seconds and as a date in every form of HTTP", () => {
    assert.strictEqual(waitFor("30"), 30_000)
    assert.strictEqual(waitFor(" 1.5 "), 1500)
    assert.strictEqual(waitFor("-3"), 0)
    assert.strictEqual(waitFor("Wed, 02 Sep 2026 12:00:30 GMT"), 30_000)
    assert.strictEqual(waitFor("Wednesday, 02-Sep-26 12:00:30 GMT"), 30_000)
    assert.strictEqual(waitFor("Wed Sep  2 12:00:30 2026"), 30_000)
    assert.strictEqual(waitFor("Wed, 02 Sep 2026 12:00:30"), 30_000)
    assert.strictEqual(waitFor("2026-09-02T12:00:30"), 30_000)
    assert.strictEqual(waitFor("2026-09-02T14:00:30+02:00"), 30_000)
  })

  it("that lies in the past is no wait; one that is not understood is none at all", () => {
    assert.strictEqual(waitFor("Wed, 02 Sep 2026 11:00:00 GMT"), 0)
    assert.strictEqual(waitFor("Sunday, 06-Nov-94 08:49:37 GMT"), 0)
    for (const nonsense of [
      "",
      "soon",
      "1e9",
      "Infinity",
      "NaN",
      "3 minutes",
      "May",
      "Wed, 02 Xyz 2026 12:00:00 GMT"
    ]) {
      assert.isNull(waitFor(nonsense), nonsense)
    }
    assert.isNull(parseRetryAfter({}, now))
  })

  it("in ms wins, and is found in any kind of headers", () => {
    assert.strictEqual(parseRetryAfter({ "retry-after-ms": "250", "retry-after": "9" }, now), 250)
    assert.strictEqual(parseRetryAfter({ "retry-after-ms": "soon", "retry-after": "9" }, now), 9000)
    assert.strictEqual(parseRetryAfter(new Headers({ "Retry-After": "9" }), now), 9000)
    assert.strictEqual(parseRetryAfter({ "RETRY-AFTER": ["9", "10"] }, now), 9000)
  })

  it.prop("never throws, is never negative, and never infinite", [Schema.String, Schema.String], ([a, b]) => {
    const parsed = parseRetryAfter({ "retry-after": a, "retry-after-ms": b }, now)
    assert.isTrue(parsed === null || (parsed >= 0 && Number.isFinite(parsed)))
  })

  const seconds = Schema.Int.check(Schema.isBetween({ minimum: -1_000_000_000, maximum: 1_000_000_000 }))
  it.prop("a date that was written is read back", [seconds], ([offset]) => {
    const at = new Date(now + offset * 1000)
    assert.strictEqual(waitFor(at.toUTCString()), Math.max(0, offset * 1000))
    assert.strictEqual(waitFor(at.toISOString()), Math.max(0, offset * 1000))
  })

  it.prop("seconds that were written are read back", [Schema.Natural], ([value]) => {
    assert.strictEqual(waitFor(String(value)), value * 1000)
  })
})

describe("errorFromResponse", () => {
  const error = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    errorFromResponse({ status, headers, body, nowMs: now })

  it("reads the provider's words from the usual places", () => {
    for (const body of [
      { error: { message: "words" } },
      { error: "words" },
      { message: "words" },
      { detail: "words" }
    ]) {
      assert.strictEqual(error(400, body).detail, "words")
      assert.strictEqual(error(400, JSON.stringify(body)).detail, "words")
    }
    assert.strictEqual(error(502, "Bad\n  Gateway").detail, "Bad Gateway")
    assert.strictEqual(error(502, "").detail, "the server answered with status 502")
    assert.isAtMost(error(500, "x".repeat(100_000)).detail.length, 500)
  })

  it("decides by status, but believes a code that says more", () => {
    const reasons = (status: number, body: unknown = "") => {
      const { reason, isRetryable } = error(status, body)
      return [reason, isRetryable]
    }
    assert.deepStrictEqual(reasons(401), ["authentication", false])
    assert.deepStrictEqual(reasons(429), ["rate_limited", true])
    assert.deepStrictEqual(reasons(425), ["invalid_request", true])
    assert.deepStrictEqual(reasons(529), ["overloaded", true])
    assert.deepStrictEqual(reasons(429, { error: { code: "insufficient_quota" } }), ["quota_exhausted", false])
    assert.deepStrictEqual(reasons(400, { error: { code: "content_filter" } }), ["content_filtered", false])
    assert.deepStrictEqual(reasons(500, { error: { type: "overloaded_error" } }), ["overloaded", true])
  })
})

describe("errorFromThrown", () => {
  const thrown = (value: unknown) => errorFromThrown(value, now)

  it("finds status, code and Retry-After wherever client libraries put them", () => {
    assert.strictEqual(thrown({ statusCode: 503 }).reason, "overloaded")
    assert.strictEqual(thrown({ response: { status: 404 } }).reason, "not_found")
    assert.strictEqual(thrown({ code: "429" }).reason, "rate_limited")
    assert.strictEqual(thrown({ code: 404 }).reason, "not_found")
    assert.strictEqual(thrown({ code: "invalid_api_key" }).reason, "target")
    assert.strictEqual(thrown({ code: "ENOTFOUND" }).reason, "connection")
    assert.strictEqual(thrown(new DOMException("late", "TimeoutError")).reason, "timeout")
    assert.strictEqual(thrown(new DOMException("stopped", "AbortError")).reason, "aborted")
    assert.strictEqual(thrown(new Error("outer", { cause: { status: 401 } })).reason, "authentication")
    assert.strictEqual(thrown({ status: 429, retryAfter: 3 }).retryAfterMs, 3000)
    assert.strictEqual(thrown({ status: 429, retryAfterMs: 30 }).retryAfterMs, 30)
    const response = { status: 429, headers: new Headers({ "retry-after": "4" }) }
    assert.strictEqual(thrown({ response }).retryAfterMs, 4000)
  })

  it("describes anything in one bounded line", () => {
    const cyclic: { message: string; cause?: unknown } = { message: "round and round" }
    cyclic.cause = cyclic
    assert.strictEqual(thrown(cyclic).detail, "round and round")
    assert.strictEqual(thrown("just a text").detail, "just a text")
    assert.strictEqual(thrown(undefined).detail, "undefined")
    assert.strictEqual(thrown(new RangeError("too far")).detail, "RangeError: too far")
    assert.strictEqual(thrown({}).detail, "an error without a message")
  })

  it.prop("never throws and always has words", [Schema.Unknown], ([value]) => {
    const { detail } = thrown(value)
    assert.isTrue(detail.length > 0 && detail.length <= 500 && !detail.includes("\n"))
  })
})
