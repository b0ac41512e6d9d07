import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { ConnectorError } from "@agent-arena/core/connector/Connector"
import * as Effect from "effect/Effect"
import type { ReferenceContext } from "./Reference.ts"

const fail = (detail: string, suggestion: string | null = null) => new ConnectorError({ detail, suggestion })

/** Time that a program may take to print a secret, ms. */
const commandLimitMs = 30_000
const mostBytes = 64 * 1024

const home = (context: ReferenceContext): string => context.env["HOME"] ?? context.env["USERPROFILE"] ?? ""

const expand = (file: string, context: ReferenceContext): string =>
  file.startsWith("~/") ? path.join(home(context), file.slice(2)) : path.resolve(context.root, file)

const isMissing = (cause: unknown): boolean =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  (cause.code === "ENOENT" || cause.code === "ENOTDIR")

const words = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Reads a file that only its owner may read; null = it does not exist. */
const readPrivate = Effect.fnUntraced(function* (file: string) {
  const stat = yield* Effect.tryPromise({
    try: () => fs.stat(file),
    catch: (cause) => (isMissing(cause) ? null : fail(`${file} cannot be read: ${words(cause)}`))
  }).pipe(Effect.catch((error) => (error === null ? Effect.succeed(null) : Effect.fail(error))))
  if (stat === null) return null
  if (!stat.isFile()) return yield* fail(`${file} is not a file`)
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
    return yield* fail(`${file} can be read by other users`, `chmod 600 ${file}`)
  }
  if (stat.size > mostBytes) return yield* fail(`${file} is too large to be a secret`)
  return yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (cause) => fail(`${file} cannot be read: ${words(cause)}`)
  })
})

/** `${file:path}`: the trimmed contents; relative to the project, `~/` is the home folder. */
export const fromFile = Effect.fnUntraced(function* (name: string, context: ReferenceContext) {
  const file = expand(name, context)
  const contents = yield* readPrivate(file)
  if (contents === null) return yield* fail(`the secret file ${file} does not exist`)
  const secret = contents.trim()
  return secret === "" ? yield* fail(`the secret file ${file} is empty`) : secret
})

/** Splits a command line into arguments: white space separates, single and double quotes group. No shell is involved. */
export const splitArguments = (line: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let current: string | null = null
  let quote: string | null = null
  for (const character of line) {
    if (quote !== null) {
      if (character === quote) quote = null
      else current = (current ?? "") + character
    } else if (character === "'" || character === '"') {
      quote = character
      current = current ?? ""
    } else if (/\s/.test(character)) {
      if (current !== null) found.push(current)
      current = null
    } else current = (current ?? "") + character
  }
  return current === null ? found : [...found, current]
}

interface Printed {
  readonly stdout: string
  /** Null = it could not be started. */
  readonly exitCode: number | null
}

/** Runs a program and takes what it prints. Its error output is not kept: it may repeat the secret. */
const print = (argv: ReadonlyArray<string>, context: ReferenceContext): Effect.Effect<Printed, ConnectorError> => {
  const [program = "", ...args] = argv
  return Effect.callback((resume, signal) => {
    const options = {
      cwd: context.root,
      env: { ...context.env },
      signal,
      timeout: commandLimitMs,
      maxBuffer: mostBytes
    }
    execFile(program, args, options, (error, stdout) => {
      if (error === null) return resume(Effect.succeed({ stdout, exitCode: 0 }))
      if (error.killed === true) return resume(Effect.fail(fail(`${program} did not finish within 30 s`)))
      resume(Effect.succeed({ stdout, exitCode: typeof error.code === "number" ? error.code : null }))
    })
  })
}

/** `${cmd:program args}`: the trimmed standard output of a program; 30 s, no shell. */
export const fromCommand = Effect.fnUntraced(function* (line: string, context: ReferenceContext) {
  const argv = splitArguments(line)
  const program = argv[0]
  if (program === undefined) return yield* fail("a cmd reference names no program")
  const { stdout, exitCode } = yield* print(argv, context)
  if (exitCode === null) return yield* fail(`the program ${program} of a \${cmd:…} reference could not be started`)
  if (exitCode !== 0) return yield* fail(`the program ${program} of a \${cmd:…} reference ended with code ${exitCode}`)
  const secret = stdout.trim()
  return secret === "" ? yield* fail(`the program ${program} of a \${cmd:…} reference printed nothing`) : secret
})

const keyringCommand = (service: string, account: string): ReadonlyArray<string> | null => {
  if (process.platform === "darwin") return ["security", "find-generic-password", "-s", service, "-a", account, "-w"]
  if (process.platform === "linux") return ["secret-tool", "lookup", "service", service, "account", account]
  return null
}

const secretsFile = (context: ReferenceContext): string =>
  path.join(context.env["XDG_CONFIG_HOME"] || path.join(home(context), ".config"), "agent-arena", "secrets.json")

const fromSecretsFile = Effect.fnUntraced(function* (service: string, account: string, context: ReferenceContext) {
  const file = secretsFile(context)
  const contents = yield* readPrivate(file)
  if (contents === null) return null
  const parsed = yield* Effect.try({
    try: (): unknown => JSON.parse(contents),
    catch: () => fail(`${file} is not valid JSON`)
  })
  const value = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, `${service}/${account}`) : undefined
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null
})

/**
 * `${keyring:service/account}`: the system's store (`security` on macOS, `secret-tool` on Linux), then
 * `$XDG_CONFIG_HOME/agent-arena/secrets.json`, a map of `service/account` to secret.
 */
export const fromKeyring = Effect.fnUntraced(function* (name: string, context: ReferenceContext) {
  const slash = name.indexOf("/")
  const service = name.slice(0, slash)
  const account = name.slice(slash + 1)
  if (slash <= 0 || account === "") return yield* fail(`\${keyring:${name}} must be service/account`)
  const command = keyringCommand(service, account)
  if (command !== null) {
    const { stdout, exitCode } = yield* print(command, context)
    if (exitCode === 0 && stdout.trim() !== "") return stdout.trim()
  }
  const stored = yield* fromSecretsFile(service, account, context)
  if (stored !== null) return stored
  return yield* fail(
    `the key ring has no entry ${service}/${account}`,
    `store it in the system's key ring, or in ${secretsFile(context)} (mode 600)`
  )
})
