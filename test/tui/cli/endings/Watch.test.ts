import { writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { post } from "@agent-arena/tui/src/actions/watch/webhook.ts"
import * as Effect from "effect/Effect"
import { afterAll, assert, describe, it } from "vitest"
import { arena, cases, document, folders, noted, signalled } from "./arena.ts"

const { clean, make } = folders()
const servers: Array<Server> = []
afterAll(() => {
  clean()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** A receiver that answers with these statuses, one a request, the last for all further ones; 0 = it never answers. */
const receiver = async (...statuses: ReadonlyArray<number>) => {
  const bodies: Array<unknown> = []
  const paths: Array<string | undefined> = []
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk) => {
      text += chunk
    })
    request.on("end", () => {
      const status = statuses[Math.min(bodies.length, statuses.length - 1)] ?? 200
      bodies.push(JSON.parse(text))
      paths.push(request.url)
      if (status !== 0) response.writeHead(status).end()
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook?token=`, bodies, paths }
}

const project = (more = "", run = "retries: 0") =>
  make({
    "config.yaml": `project: watched
models: [{ key: right, model: "mock:right", params: { mode: oracle } }]
targets: [{ key: noted, run: "noted.mjs:answer" }]
run: { ${run} }
${more}`,
    "tests.yaml": cases(12),
    "noted.mjs": noted,
    "says.txt": "a",
    "calls.txt": ""
  })
const say = (folder: string, text: string) => writeFileSync(join(folder, "says.txt"), text)

interface Drift {
  readonly contestant: string
  readonly verdict: string
  readonly flagged: boolean
  readonly baseline_runs: ReadonlyArray<string>
}
const verdicts = (tick: { readonly drifts: ReadonlyArray<Drift> }) =>
  Object.fromEntries(tick.drifts.map(({ contestant, verdict }) => [contestant, verdict]))

describe("arena watch", () => {
  it("holds contestants against their own runs, tells what drifted, and fails only when asked to", async () => {
    const { bodies, paths, url } = await receiver(200)
    const folder = project(`watch: { webhook: "${url}\${env:ARENA_HOOK_TOKEN}" }`)
    process.env["ARENA_HOOK_TOKEN"] = "secret"
    const watch = (...flags: ReadonlyArray<string>) => document("watch", folder, "--quiet", ...flags)
    const first = await watch()
    assert.deepStrictEqual(verdicts(first), { right: "no_baseline", noted: "no_baseline" })
    const second = await watch()
    assert.deepStrictEqual(verdicts(second), { right: "stable", noted: "stable" })
    assert.deepStrictEqual(second.drifts[0].baseline_runs, [first.run_id])
    assert.lengthOf(bodies, 0)
    say(folder, "b")
    const third = await arena("watch", folder, "--quiet", "--fail-on-drift")
    assert.strictEqual(third.code, 2)
    assert.match(third.stdout, /^! noted has drifted: accuracy -100\.0 points .*\(against 2 runs before\)$/m)
    assert.match(third.stdout, /^✓ right is stable/m)
    assert.lengthOf(bodies, 1)
    assert.deepStrictEqual(paths, ["/hook?token=secret"])
    assert.deepInclude(bodies[0] as object, { project: "watched" })
    const [flagged] = (bodies[0] as { flagged: ReadonlyArray<Drift> }).flagged
    assert.deepInclude(flagged, { contestant: "noted", verdict: "drifted", flagged: true })
  })

  it("compares with nothing that was another thing: other cases, rules, contestants, or a run cut short", async () => {
    const folder = project()
    const watch = (...flags: ReadonlyArray<string>) => document("watch", folder, "--quiet", ...flags)
    await watch("--limit", "8")
    assert.deepStrictEqual(verdicts(await watch()), { right: "no_baseline", noted: "no_baseline" })
    writeFileSync(join(folder, "noted.mjs"), `${noted}// another module\n`)
    const changed = await watch()
    assert.deepStrictEqual(verdicts(changed), { right: "stable", noted: "no_baseline" })
    assert.strictEqual(changed.drifts.find(({ contestant }: Drift) => contestant === "noted").reason, "changed")
    say(folder, "throw")
    const cut = await arena("watch", folder, "--quiet", "--fail-fast", "--fail-on-drift")
    assert.strictEqual(cut.code, 1)
    assert.include(cut.stdout, "not compared, because a call failed")
    say(folder, "a")
    assert.deepStrictEqual(verdicts(await watch()), { right: "stable", noted: "stable" })
  })

  it("loops until something is flagged, and never answers from the cache", async () => {
    const folder = project("", "cache: true, retries: 0")
    await document("watch", folder, "--quiet")
    say(folder, "throw")
    const looped = await arena("watch", folder, "--quiet", "--loop", "--interval", "0", "--fail-on-drift", "--json")
    assert.strictEqual(looped.code, 2)
    const ticks = looped.stdout.trimEnd().split("\n")
    assert.lengthOf(ticks, 1)
    assert.deepInclude(JSON.parse(ticks[0] ?? ""), { flagged: 1, run_status: "completed" })
  })

  it("ends its loop in order when a signal comes in the pause", async () => {
    const folder = project()
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 124]
    ] as const) {
      const ended = await signalled(signal, "watch", folder, "--quiet", "--loop", "--json")
      assert.strictEqual(ended.code, code)
      assert.lengthOf(ended.stdout.trimEnd().split("\n"), 1)
      assert.strictEqual(ended.stderr, "")
    }
  })

  it("says what is wrong with its flags", async () => {
    const folder = project()
    assert.include((await arena("watch", folder, "--history", "0")).stderr, "at least 1 earlier run")
    assert.strictEqual((await arena("watch", folder, "--threshold", "2")).code, 1)
  })
})

describe("the webhook", () => {
  const settings = { limitMs: 10_000, retries: 3, backoffMs: 1 }

  it("is told again when it was busy", async () => {
    const { bodies, url } = await receiver(503, 429, 204)
    await Effect.runPromise(post(url, { flagged: [] }, settings))
    assert.lengthOf(bodies, 3)
  })

  it("is not told again when it refuses, and its address stays secret", async () => {
    const { bodies, url } = await receiver(404)
    const error = await Effect.runPromise(Effect.flip(post(url, {}, settings)))
    assert.lengthOf(bodies, 1)
    assert.match(error.message, /^the webhook at 127\.0\.0\.1:\d+ was not told: it answered 404$/)
  })

  it("that never answers is given up after its limits", async () => {
    const { url } = await receiver(0)
    const error = await Effect.runPromise(Effect.flip(post(url, {}, { ...settings, limitMs: 200, retries: 1 })))
    assert.include(error.message, "no answer within 0.2 s")
  })

  it("that is not there is told of", async () => {
    const error = await Effect.runPromise(Effect.flip(post("http://127.0.0.1:1/", {}, { ...settings, retries: 0 })))
    assert.include(error.message, "it cannot be reached")
    assert.include((await Effect.runPromise(Effect.flip(post("no url", {}, settings)))).message, "no URL")
  })
})
