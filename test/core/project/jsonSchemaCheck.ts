/** Checks a value against the part of JSON Schema (2020-12) that the published schemas use; an unknown keyword throws. */

type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "number" ? "number" : typeof value

const annotations = new Set(["$schema", "$defs", "title", "description"])

const asNumber = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

type Check = (
  argument: unknown,
  value: unknown,
  schema: Schema,
  valid: (schema: unknown, value: unknown) => boolean
) => boolean

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const checks: Readonly<Record<string, Check>> = {
  type: (type, value) => (type === "integer" ? Number.isInteger(value) : typeOf(value) === type),
  enum: (words, value) => list(words).includes(value),
  anyOf: (schemas, value, _, valid) => list(schemas).some((schema) => valid(schema, value)),
  allOf: (schemas, value, _, valid) => list(schemas).every((schema) => valid(schema, value)),
  minimum: (limit, value) => typeof value !== "number" || value >= asNumber(limit),
  maximum: (limit, value) => typeof value !== "number" || value <= asNumber(limit),
  exclusiveMinimum: (limit, value) => typeof value !== "number" || value > asNumber(limit),
  exclusiveMaximum: (limit, value) => typeof value !== "number" || value < asNumber(limit),
  minLength: (limit, value) => typeof value !== "string" || value.length >= asNumber(limit),
  items: (schema, value, _, valid) => !Array.isArray(value) || value.every((item) => valid(schema, item)),
  required: (keys, value) => !isObject(value) || list(keys).every((key) => Object.hasOwn(value, String(key))),
  properties: (schemas, value, _, valid) =>
    !isObject(value) ||
    !isObject(schemas) ||
    Object.entries(schemas).every(([key, schema]) => !Object.hasOwn(value, key) || valid(schema, value[key])),
  propertyNames: (schema, value, _, valid) => !isObject(value) || Object.keys(value).every((key) => valid(schema, key)),
  additionalProperties: (schema, value, { properties }, valid) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([key, item]) => (isObject(properties) && Object.hasOwn(properties, key)) || valid(schema, item)
    )
}

/** Whether `value` satisfies `schema`, whose definitions are those of `document`. */
export const isValid = (document: Schema, value: unknown): boolean => {
  const valid = (schema: unknown, part: unknown): boolean => {
    if (typeof schema === "boolean") return schema
    if (!isObject(schema)) throw new Error("a schema is an object")
    return Object.entries(schema).every(([keyword, argument]) => {
      if (annotations.has(keyword)) return true
      if (keyword === "$ref") {
        const definitions = document["$defs"]
        return valid(isObject(definitions) ? definitions[String(argument).replace("#/$defs/", "")] : undefined, part)
      }
      const check = checks[keyword]
      if (check === undefined) throw new Error(`unknown keyword ${keyword}`)
      return check(argument, part, schema, valid)
    })
  }
  return valid(document, value)
}
