import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"

/** One entry of `providers:`: how one account or server is reached. */
export const ProviderEntry = Schema.Struct({
  id: Fields.filledText("Unique name, used as provider of contestants and of the judge."),
  name: Fields.filledText("Another name for id."),
  kind: Fields.filledText("What it is: anthropic, openai, google, openai_compatible, ollama, …"),
  type: Fields.filledText("Another name for kind."),
  package: Fields.filledText("npm package of an AI SDK provider, for kind: ai-sdk."),
  base_url: Fields.filledText("Endpoint. Default: the vendor's."),
  api_base: Fields.filledText("Another name for base_url."),
  api_key_ref: Fields.text(
    `Reference to the key: \${env:NAME}, \${file:PATH}, \${keyring:SERVICE/ACCOUNT} or \${cmd:…}.`
  ),
  api_key: Fields.text("Another name for api_key_ref."),
  headers: Fields.textMap("Extra HTTP headers."),
  timeout_s: Fields.number("Limit of one attempt, seconds. Default: run.request_timeout_s.", { above: 0 }),
  verify_tls: Fields.optional(
    Schema.Union([Schema.Boolean, Schema.String]),
    "true, false, or the path of a CA bundle",
    "Whether certificates are checked, or the path of a CA bundle. Default: true."
  ),
  verify: Fields.optional(
    Schema.Union([Schema.Boolean, Schema.String]),
    "true, false, or the path of a CA bundle",
    "Another name for verify_tls."
  ),
  proxy: Fields.filledText("URL of an HTTP proxy. Default: HTTPS_PROXY and NO_PROXY of the environment."),
  model_prefix: Fields.filledText("Put before the model id unless it already begins with it."),
  rate_limit: Fields.optional(
    Schema.Struct({
      rpm: Fields.number("Requests per minute.", { above: 0 }),
      tpm: Fields.number("Tokens per minute.", { above: 0 }),
      concurrency: Fields.number("Requests at the same time.", { above: 0 }),
      burst: Fields.number("Requests that may be sent at once after a pause.", { above: 0 })
    }),
    "a mapping",
    "Limits shared by everything that uses this provider. Default: found out while running."
  ),
  retry: Fields.optional(
    Schema.Struct({
      attempts: Fields.wholeNumber("Retries after a failed attempt. Default: run.retries.", { min: 0 }),
      backoff_s: Fields.number("Base of the pause between attempts, seconds. Default: run.retry_backoff_s.", {
        min: 0
      }),
      jitter: Fields.flag("Accepted; pauses always have jitter."),
      respect_retry_after: Fields.flag("Accepted; Retry-After is always respected.")
    }),
    "a mapping",
    "Retries for this provider."
  ),
  params: Fields.options("Request parameters of everything on this provider, under those of the contestant.")
}).annotate({ identifier: "Provider", expected: "a mapping" })
export type ProviderEntry = typeof ProviderEntry.Type
