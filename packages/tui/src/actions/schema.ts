import { configJsonSchema, testsJsonSchema } from "@agent-arena/core/project/JsonSchema"
import { stringify } from "@agent-arena/core/report/JsonText"
import { scenarioJsonSchema } from "@agent-arena/core/scenario/file/JsonSchema"
import * as Effect from "effect/Effect"
import { Output } from "../process/Output.ts"

const schemas = { config: configJsonSchema, tests: testsJsonSchema, scenario: scenarioJsonSchema }

/** The JSON Schema of a project file as text. */
export const schemaText = (file: keyof typeof schemas): string => `${stringify(schemas[file], 2)}\n`

/** `arena schema`. */
export const printSchema = Effect.fn("arena.schema")(function* (file: keyof typeof schemas) {
  const { stdout } = yield* Output
  yield* stdout.write(schemaText(file))
})
