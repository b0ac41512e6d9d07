import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

/** The receiver did not take the message. Never contains the address beyond its host: it may hold a secret. */
export class WebhookError extends Schema.TaggedError<WebhookError>()("WebhookError", {
  host: Schema.String,
  detail: Schema.String,
  /** Whether it may work later. */
  retryable: Schema.Boolean
}) {
  override get message(): string {
    return `the webhook at ${this.host} was not told: ${this.detail}`
  }
}

export interface WebhookSettings {
  /** Limit of one attempt, ms. */
  readonly limitMs: number
  /** Attempts after the first. */
  readonly retries: number
  /** Wait before the first retry, ms; doubled for each further one. */
  readonly backoffMs: number
}

export const webhookSettings: WebhookSettings = { limitMs: 10_000, retries: 3, backoffMs: 1_000 }

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "an address that is no URL")

/** 408, 425, 429 and server errors pass; other refusals will be repeated. */
const isTransient = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status)

const attempt = (
  url: string,
  body: unknown,
  limitMs: number
): Effect.Effect<void, WebhookError, HttpClient.HttpClient> => {
  const host = hostOf(url)
  const request = HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe(body))
  return Effect.scoped(HttpClient.execute(request)).pipe(
    Effect.timeoutOrElse({
      duration: limitMs,
      orElse: () =>
        Effect.fail(new WebhookError({ host, detail: `no answer within ${limitMs / 1000} s`, retryable: true }))
    }),
    Effect.catchTag("HttpClientError", () =>
      Effect.fail(new WebhookError({ host, detail: "it cannot be reached", retryable: true }))
    ),
    Effect.flatMap(({ status }) =>
      status >= 200 && status < 300
        ? Effect.void
        : Effect.fail(new WebhookError({ host, detail: `it answered ${status}`, retryable: isTransient(status) }))
    )
  )
}

/** Posts a JSON document; tries again what may pass. */
export const post = (
  url: string,
  body: unknown,
  { backoffMs, limitMs, retries }: WebhookSettings = webhookSettings
): Effect.Effect<void, WebhookError> =>
  attempt(url, body, limitMs).pipe(
    Effect.retry({
      schedule: Schedule.exponential(backoffMs).pipe(Schedule.jittered),
      times: retries,
      while: ({ retryable }) => retryable
    }),
    Effect.provide(FetchHttpClient.layer)
  )
