import { fileURLToPath } from "node:url"
import type { ConnectorConfig } from "@agent-arena/core/connector/Connector"
import { ConnectorMap } from "@agent-arena/core/connector/ConnectorMap"
import { type CellContext, type GenerationRequest, unknownUsage } from "@agent-arena/core/domain/Generation"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import * as Effect from "effect/Effect"

/** A request with one user message. */
export const requestOf = (prompt: string, fields: Partial<GenerationRequest> = {}): GenerationRequest => ({
  messages: [{ role: "user", content: prompt }],
  prompt,
  system: null,
  maxTokens: null,
  temperature: null,
  seed: null,
  params: {},
  ...fields
})

/** The first attempt of the first trial of case `t1`; inner calls fail unless the test gives its own. */
export const cellOf = (
  fields: Partial<Omit<CellContext, "caseId">> & { readonly caseId?: string } = {}
): CellContext => ({
  contestant: ContestantKey.make("subject"),
  trial: 1,
  attempt: 1,
  tags: [],
  metadata: {},
  generate: () => Effect.fail(GenerationErrors.make({ reason: "not_found", detail: "no inner calls here" })),
  ...fields,
  caseId: CaseId.make(fields.caseId ?? "t1")
})

export const configOf = <R = never>(fields: Partial<ConnectorConfig<R>>): ConnectorConfig<R> => ({
  source: { _tag: "Model", model: "mock", provider: null, apiKeyEnv: null, apiBase: null },
  kind: "mock",
  profile: null,
  model: "mock",
  params: {},
  root: process.cwd(),
  env: {},
  exposeReference: false,
  blocking: false,
  ...fields
})

/** A mock by its model id. */
export const mockConfig = (model: string, params: Record<string, unknown> = {}): ConnectorConfig =>
  configOf({ model, params, source: { _tag: "Model", model, provider: null, apiKeyEnv: null, apiBase: null } })

const targets = fileURLToPath(new URL("../../fixtures/targets", import.meta.url))

/** A function of a file in `test/fixtures/targets`. */
export const callableConfig = (
  module: string,
  exportName: string,
  fields: Partial<ConnectorConfig> = {}
): ConnectorConfig =>
  configOf({
    kind: "callable",
    model: `${module}:${exportName}`,
    source: { _tag: "Callable", module, exportName },
    root: targets,
    ...fields
  })

/** Builds a connector in the scope of the test. */
export const connectorOf = <R = never>(config: ConnectorConfig<R>) =>
  Effect.flatMap(ConnectorMap.make(new Map([["subject", config]])), (map) => map.get("subject"))

/** The same where it must not fail. */
export const readyConnector = <R = never>(config: ConnectorConfig<R>) => Effect.orDie(connectorOf(config))

/** An inner call that answers with the name it was made by and the prompt it got. */
export const echoInner: CellContext["generate"] = (name, request) =>
  Effect.succeed({ text: `${name} says ${request.prompt}`, usage: unknownUsage, costUsd: null, latencyMs: 1 })
