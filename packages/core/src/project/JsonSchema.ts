/** The published JSON Schemas (draft 2020-12) of project files, made from the schemas that decode them. */
import * as Schema from "effect/Schema"
import { CaseFile } from "./cases/CaseFile.ts"
import { ConfigFile } from "./config/ConfigFile.ts"

/** A JSON Schema as plain data. */
export type JsonSchemaDocument = Readonly<Record<string, unknown>>

const publish = (schema: Schema.Top): JsonSchemaDocument => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...root, $defs: definitions }
}

/** Of `config.yaml`, for editors and other checkers; the loader itself knows more (files, names, aliases). */
export const configJsonSchema: JsonSchemaDocument = publish(ConfigFile)

/** Of case files in YAML or JSON. */
export const testsJsonSchema: JsonSchemaDocument = publish(CaseFile)
