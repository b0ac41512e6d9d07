/** Which tools an agent is not to be given: the request param `tool_filter`. */
import * as Schema from "effect/Schema"

/** Tools of a server, all of them or one. */
const RemovedTools = Schema.Struct({
  server: Schema.NonEmptyString,
  /** Absent = every tool of the server. */
  tool: Schema.optionalKey(Schema.NonEmptyString)
})

/**
 * Models get what is left of the param `tools`; targets, which bring tools of their own, find the filter among their
 * params.
 */
export const ToolFilter = Schema.Struct({ remove: Schema.Array(RemovedTools) })
export type ToolFilter = typeof ToolFilter.Type

/** A tool as a request names it. */
export interface NamedTool {
  readonly name: string
  /** Absent where the name tells it: `server__tool` or `mcp__server__tool`. */
  readonly server?: string
}

/** The name of a tool within a server; null when it is of another one. */
const nameWithin = (server: string, tool: NamedTool): string | null => {
  if (tool.server === server) return tool.name
  if (tool.server !== undefined) return null
  const prefix = [`mcp__${server}__`, `${server}__`].find((one) => tool.name.startsWith(one))
  return prefix === undefined ? null : tool.name.slice(prefix.length)
}

/** Whether a filter takes a tool away. */
export const removes = ({ remove }: ToolFilter, named: NamedTool): boolean =>
  remove.some(({ server, tool }) => {
    const name = nameWithin(server, named)
    return name !== null && (tool === undefined || tool === name || tool === named.name)
  })
