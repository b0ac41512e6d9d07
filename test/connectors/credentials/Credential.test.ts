import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { connect, type ModelConfig, profile, testKey } from "../support/Calls.ts"
import * as TemporaryFolder from "../support/TemporaryFolder.ts"

const kind = "anthropic"
const model = "claude-haiku-4-5"

const withKey = (reference: string, options: Partial<ModelConfig> = {}): ModelConfig => ({
  kind,
  model,
  profile: profile({ id: "team", kind, apiKeyRef: Redacted.make(reference) }),
  ...options
})

const keyOf = (options: ModelConfig) =>
  Effect.map(connect(options), (connector) => connector.secrets.map((secret) => Redacted.value(secret)))

const failure = (options: ModelConfig) => Effect.map(Effect.flip(connect(options)), (error) => error.message)

const reference = (text: string) => `\${${text}}`

describe("a key", () => {
  it.live("comes from the usual variable of the provider", () =>
    Effect.gen(function* () {
      expect(yield* keyOf({ kind, model, env: { ANTHROPIC_API_KEY: ` ${testKey} ` } })).toEqual([testKey])
      const google = { kind: "google", model: "gemini-2.5-flash" }
      expect(yield* keyOf({ ...google, env: { GOOGLE_API_KEY: testKey } })).toEqual([testKey])
      const both = { GOOGLE_API_KEY: "other-key-0123", GEMINI_API_KEY: testKey }
      expect(yield* keyOf({ ...google, env: both })).toEqual([testKey])
    }).pipe(Effect.scoped)
  )

  it.live("comes from the variable that the entry names, and from no other", () =>
    Effect.gen(function* () {
      const env = { TEAM_KEY: testKey, ANTHROPIC_API_KEY: "other-key-0123" }
      expect(yield* keyOf({ kind, model, env, apiKeyEnv: "TEAM_KEY" })).toEqual([testKey])
      const named = { kind, model, apiKeyEnv: "TEAM_KEY", env: { ANTHROPIC_API_KEY: "other-key-0123" } }
      expect(yield* failure(named)).toContain("TEAM_KEY is not set")
    }).pipe(Effect.scoped)
  )

  it.live("of a profile wins over the entry's", () =>
    Effect.gen(function* () {
      const env = { TEAM_KEY: testKey, OWN_KEY: "other-key-0123" }
      expect(yield* keyOf(withKey(reference("env:TEAM_KEY"), { env, apiKeyEnv: "OWN_KEY" }))).toEqual([testKey])
    }).pipe(Effect.scoped)
  )

  it.live("may be written as it is", () =>
    Effect.gen(function* () {
      expect(yield* keyOf(withKey(testKey))).toEqual([testKey])
    }).pipe(Effect.scoped)
  )

  it.live("is known in every form in which a server may repeat it", () =>
    Effect.gen(function* () {
      const proxy = "http://ann:proxy%20word@proxy.invalid:8080"
      const own = profile({
        id: "team",
        kind: "openai_compatible",
        baseUrl: "https://me:100%secure@models.invalid/v1?subscription-key=query-key-0123",
        headers: {
          Authorization: Redacted.make(`Bearer ${testKey}`),
          "Ocp-Apim-Subscription-Key": Redacted.make("azure-key-0123"),
          "X-Team": Redacted.make("a-harmless-word")
        }
      })
      const found = yield* keyOf({ kind: own.kind, model: "m", profile: own, env: { HTTPS_PROXY: proxy } })
      const basic = Buffer.from("me:100%secure").toString("base64")
      for (const secret of [testKey, "azure-key-0123", "100%secure", basic, "query-key-0123", "proxy word"]) {
        expect(found).toContain(secret)
      }
      expect(found).not.toContain("a-harmless-word")
    }).pipe(Effect.scoped)
  )

  it.live("is not needed for a server of one's own", () =>
    Effect.gen(function* () {
      const env = { OPENAI_API_KEY: testKey }
      expect(yield* keyOf({ kind: "openai_compatible", model: "m", apiBase: "http://127.0.0.1:9", env })).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("that is missing is named, with its profile and what to do", () =>
    Effect.gen(function* () {
      expect(yield* failure({ kind, model })).toMatch(/^ANTHROPIC_API_KEY is not set \(export ANTHROPIC_API_KEY=/)
      expect(yield* failure({ kind, model, env: { ANTHROPIC_API_KEY: " " } })).toContain("is not set")
      expect(yield* failure(withKey(reference("env:TEAM_KEY")))).toMatch(/^provider team: TEAM_KEY is not set/)
    }).pipe(Effect.scoped)
  )
})

describe("a file", () => {
  it.live("holds the key; relative to the project, or in the home folder", () =>
    Effect.gen(function* () {
      const root = yield* TemporaryFolder.make({ "keys/anthropic": { contents: `${testKey}\n`, mode: 0o600 } })
      expect(yield* keyOf(withKey(reference("file:keys/anthropic"), { root }))).toEqual([testKey])
      expect(yield* keyOf(withKey(reference("file:~/keys/anthropic"), { env: { HOME: root } }))).toEqual([testKey])
      expect(yield* keyOf(withKey(reference(`file:${root}/keys/anthropic`)))).toEqual([testKey])
    }).pipe(Effect.scoped)
  )

  it.live("that others can read, that is empty, or that is not there, is refused", () =>
    Effect.gen(function* () {
      const root = yield* TemporaryFolder.make({
        open: { contents: testKey, mode: 0o644 },
        empty: { contents: "\n", mode: 0o600 },
        large: { contents: "x".repeat(100_000), mode: 0o600 }
      })
      const message = (name: string) => failure(withKey(reference(`file:${name}`), { root }))
      expect(yield* message("open")).toContain(`chmod 600 ${root}/open`)
      expect(yield* message("empty")).toContain("is empty")
      expect(yield* message("large")).toContain("too large to be a secret")
      expect(yield* message("nowhere")).toContain("does not exist")
      expect(yield* message(".")).toContain("is not a file")
      expect(yield* message("open")).not.toContain(testKey)
    }).pipe(Effect.scoped)
  )
})

describe("a program", () => {
  const node = process.execPath
  const printing = (script: string) => reference(`cmd:${node} -e "${script}"`)

  it.live("prints the key; no shell is involved", () =>
    Effect.gen(function* () {
      const key = yield* keyOf(withKey(printing("console.log(process.env.TEAM_KEY)"), { env: { TEAM_KEY: testKey } }))
      expect(key).toEqual([testKey])
      const literal = yield* keyOf(withKey(reference(`cmd:${node} -p 'process.argv[1]' '$HOME; echo ${testKey}'`)))
      expect(literal).toEqual([`$HOME; echo ${testKey}`])
    }).pipe(Effect.scoped)
  )

  it.live("that fails, prints nothing, or is not there, is named without what it printed", () =>
    Effect.gen(function* () {
      const failed = yield* failure(withKey(printing(`console.error('${testKey}'); process.exit(3)`)))
      expect(failed).toContain("ended with code 3")
      expect(failed).not.toContain(testKey)
      expect(yield* failure(withKey(printing("")))).toContain("printed nothing")
      expect(yield* failure(withKey(reference("cmd:no-such-program-here")))).toContain("could not be started")
      expect(yield* failure(withKey(reference("cmd:")))).toContain("names no program")
    }).pipe(Effect.scoped)
  )
})

describe("a key ring", () => {
  const files = (secrets: unknown, mode = 0o600) => ({
    "agent-arena/secrets.json": { contents: JSON.stringify(secrets), mode }
  })

  it.live("is the settings folder's file where the system has none", () =>
    Effect.gen(function* () {
      const config = yield* TemporaryFolder.make(files({ "anthropic/team": testKey }))
      const env = { XDG_CONFIG_HOME: config, PATH: "" }
      expect(yield* keyOf(withKey(reference("keyring:anthropic/team"), { env }))).toEqual([testKey])
      expect(yield* failure(withKey(reference("keyring:anthropic/other"), { env }))).toContain(
        "the key ring has no entry anthropic/other"
      )
      expect(yield* failure(withKey(reference("keyring:anthropic"), { env }))).toContain("must be service/account")
    }).pipe(Effect.scoped)
  )

  it.live("that others can read is refused", () =>
    Effect.gen(function* () {
      const config = yield* TemporaryFolder.make(files({ "anthropic/team": testKey }, 0o640))
      const env = { XDG_CONFIG_HOME: config, PATH: "" }
      expect(yield* failure(withKey(reference("keyring:anthropic/team"), { env }))).toContain("chmod 600")
    }).pipe(Effect.scoped)
  )
})

describe("a reference", () => {
  it.live("of an unknown kind lists the known ones", () =>
    Effect.gen(function* () {
      const message = yield* failure(withKey(reference("vault:x")))
      expect(message).toContain("is not a known reference")
      expect(message).toContain(reference("keyring:service/account"))
    }).pipe(Effect.scoped)
  )

  it.live("may be part of a text", () =>
    Effect.gen(function* () {
      const env = { FIRST: "part-one", SECOND: "part-two" }
      const joined = `${reference("env:FIRST")}.${reference("env:SECOND")}`
      expect(yield* keyOf(withKey(joined, { env }))).toEqual(["part-one.part-two"])
    }).pipe(Effect.scoped)
  )
})
