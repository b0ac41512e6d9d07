import { configJsonSchema, testsJsonSchema } from "@agent-arena/core/project/JsonSchema"
import { stringify } from "@agent-arena/core/report/JsonText"
import * as Effect from "effect/Effect"
import { Output } from "../process/Output.ts"

/** The JSON Schema of a project file as text. */
export const schemaText = (file: "config" | "tests"): string =>
  `${stringify(file === "config" ? configJsonSchema : testsJsonSchema, 2)}\n`

/** `arena schema`. */
export const printSchema = Effect.fn("arena.schema")(function* (file: "config" | "tests") {
  const { stdout } = yield* Output
  yield* stdout.write(schemaText(file))
})
