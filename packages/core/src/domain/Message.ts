import * as Schema from "effect/Schema"

/**
 * A piece of a message that is not plain text. `path` is relative to the project folder; `url` is fetched by the
 * provider.
 */
export const ContentPart = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({
    type: Schema.Literals(["image", "file"]),
    path: Schema.optionalKey(Schema.String),
    url: Schema.optionalKey(Schema.String),
    mediaType: Schema.optionalKey(Schema.String)
  })
])
export type ContentPart = typeof ContentPart.Type

export const Role = Schema.Literals(["system", "user", "assistant"])
export type Role = typeof Role.Type

/** One turn of a conversation. */
export const Message = Schema.Struct({
  role: Role,
  content: Schema.Union([Schema.String, Schema.Array(ContentPart)])
})
export type Message = typeof Message.Type

const contentText = (content: Message["content"]): string =>
  typeof content === "string" ? content : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ")

/** The conversation flattened to one prompt: contents joined by a blank line, text parts of one message by a space. */
export const toPrompt = (messages: ReadonlyArray<Message>): string =>
  messages.map((message) => contentText(message.content)).join("\n\n")
