import * as Schema from "effect/Schema"
import type { JsonSchemaDocument } from "../../project/JsonSchema.ts"
import { ScenarioFile } from "./ScenarioFile.ts"

const { schema, definitions } = Schema.toJsonSchemaDocument(ScenarioFile, { onExcessProperty: "error" })

/** The JSON Schema (draft 2020-12) of scenario files, for editors; `arena scenario check` knows more (names, graph). */
export const scenarioJsonSchema: JsonSchemaDocument = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...schema,
  $defs: definitions
}
