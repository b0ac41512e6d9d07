import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CellContext, Generation, GenerationRequest, ScenarioTurn } from "../../domain/Generation.ts"
import * as Generations from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import { scrubber } from "../../domain/Secrets.ts"
import { namedSecrets } from "../../domain/SecretText.ts"
import { Connector, type ConnectorConfig, ConnectorError } from "../Connector.ts"
import { resolveEnv } from "../EnvReferences.ts"
import { fromReturned, isAnswerObject } from "../TargetResult.ts"
import { whyNotExecutable } from "./Executable.ts"
import { makeProcessGroups } from "./ProcessGroups.ts"
import { type Program, runProgram } from "./RunProgram.ts"

const placeholder = "{prompt}"

/** A variable of 128 KiB is too long for Linux, and the program would not start. Bytes. */
const longestTrace = 100_000

/** The conversation as a variable; a longer one is in its file only. No variable can hold NUL. */
const traceVariable = ({ trace }: ScenarioTurn): Record<string, string> =>
  trace === null || Buffer.byteLength(trace) > longestTrace ? {} : { ARENA_TRACE: trace.replaceAll("\0", "") }

/** Where in a scenario the call is: its folder, and what a check may read. */
const turnVariables = ({ scenario: turn }: CellContext): Record<string, string> =>
  turn === undefined
    ? {}
    : {
        ARENA_NODE: turn.node,
        ARENA_TURN: String(turn.turn),
        ...(turn.workspace === null ? {} : { ARENA_WORKSPACE: turn.workspace }),
        ...traceVariable(turn),
        ...(turn.traceFile === null ? {} : { ARENA_TRACE_FILE: turn.traceFile })
      }

/** What a program may read about its cell from its environment. */
const cellVariables = (
  config: ConnectorConfig,
  request: GenerationRequest,
  cell: CellContext
): Record<string, string> => ({
  ARENA_CONTESTANT: cell.contestant,
  ARENA_CASE_ID: cell.caseId,
  ARENA_TRIAL: String(cell.trial),
  ARENA_ATTEMPT: String(cell.attempt),
  ARENA_TAGS: cell.tags.join(","),
  ARENA_PARAMS: JSON.stringify(request.params),
  ...turnVariables(cell),
  ...(request.system === null ? {} : { ARENA_SYSTEM: request.system }),
  ...(request.seed === null ? {} : { ARENA_SEED: String(request.seed) }),
  ...(config.exposeReference && cell.reference !== undefined
    ? { ARENA_REFERENCE: typeof cell.reference === "string" ? cell.reference : JSON.stringify(cell.reference) }
    : {})
})

const parseObject = (text: string): unknown => {
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A JSON object with `output`, `text` or `answer` is read as such; everything else is the answer itself. */
const readOutput = (stdout: string): Effect.Effect<Generation, GenerationError> => {
  const value = parseObject(stdout)
  if (isAnswerObject(value)) return Effect.fromResult(fromReturned(value))
  return Effect.succeed(Generations.make({ text: stdout.replace(/[\r\n]+$/, "") }))
}

const makeCommand = Effect.fnUntraced(function* (config: ConnectorConfig) {
  const source = config.source
  if (source._tag !== "Command") {
    const detail = `"${config.model}" is not a command`
    return yield* new ConnectorError({ detail, suggestion: "write command: [program, argument]" })
  }
  const resolved = yield* Effect.fromResult(resolveEnv(source.env, config.env, "env of the command"))
  const secrets = [...resolved.secrets, ...namedSecrets(resolved.value)]
  const scrub = scrubber(secrets)
  const groups = yield* makeProcessGroups
  const [name, ...args] = source.argv
  const takesPrompt = source.argv.some((argument) => argument.includes(placeholder))
  const environment = { ...config.env, ...resolved.value }

  const programOf = (request: GenerationRequest, cell: CellContext): Program => ({
    argv: [name, ...args.map((argument) => argument.replaceAll(placeholder, () => request.prompt))],
    cwd: config.root,
    env: { ...environment, ...cellVariables(config, request, cell) },
    input: takesPrompt ? null : request.prompt,
    scrub
  })
  return Connector.of({
    provider: "command",
    generate: (request, cell) =>
      Effect.withFiber((fiber) =>
        Effect.flatMap(runProgram(programOf(request, cell), groups, fiber.context), readOutput)
      ),
    healthCheck: Effect.sync(() => whyNotExecutable(name, config.root, environment)),
    secrets
  })
})

/**
 * A program started for each attempt, in the project's folder and without a shell. The prompt goes to stdin, or replaces
 * `{prompt}` in its arguments; the answer is what it writes to stdout, as text or as a JSON object.
 */
export const layerCommand = (config: ConnectorConfig): Layer.Layer<Connector, ConnectorError> =>
  Layer.effect(Connector, makeCommand(config))
