/**
 * What one call and the transport tell each other, keyed by the call's abort signal: provider packages hand the signal
 * through to `fetch` unchanged, and offer no other channel per call.
 */

export interface CallNotes {
  /** Changes the JSON body before it is sent; null = send as it is. */
  readonly editBody: ((body: Record<string, unknown>) => Record<string, unknown>) | null
  /** Called for every piece of a response body that arrives. */
  readonly onActivity: () => void
  /** Set when the server answered in one piece although a stream was asked for. */
  wasWhole: boolean
  /** Filled in when the response's headers arrive; null before. */
  response: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | null
}

const notesBySignal = new WeakMap<AbortSignal, CallNotes>()

/** Attaches notes to the call that uses `signal`. */
export const attach = (signal: AbortSignal, notes: CallNotes): void => {
  notesBySignal.set(signal, notes)
}

/** The notes of the call that uses `signal`, if any. */
export const find = (signal: AbortSignal | null | undefined): CallNotes | undefined =>
  signal == null ? undefined : notesBySignal.get(signal)
