/** Limits on what a server may make us read. */

/** A response body that went over its limit. `code` marks it in chains of causes. */
export class BodyLimitError extends Error {
  readonly code = "ARENA_BODY_LIMIT"
}

export interface BodyLimits {
  /** Bytes of the whole body. */
  readonly total: number
  /** Bytes without a line end; the parser of an event stream keeps an unfinished line in memory. */
  readonly line: number
}

const mebibyte = 1024 * 1024
/** Answers that are read whole. */
export const wholeBody: BodyLimits = { total: 16 * mebibyte, line: 16 * mebibyte }
/** Event streams: framing costs far more bytes than the text it carries, but is not kept. */
export const eventStream: BodyLimits = { total: 512 * mebibyte, line: 8 * mebibyte }
/** Error bodies: only the message is of interest. */
export const errorBodyBytes = 64 * 1024

const lineFeed = 10

const describe = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`

/** Bytes after the last line end, given those carried over from the piece before. */
const openLine = (piece: Uint8Array, carried: number): number => {
  const last = piece.lastIndexOf(lineFeed)
  return last === -1 ? carried + piece.length : piece.length - last - 1
}

/**
 * The same body, failing with `BodyLimitError` when it goes over a limit. `onPiece` is called for each piece that
 * arrives. Cancelling the result cancels the source.
 */
export const bound = (
  body: ReadableStream<Uint8Array>,
  limits: BodyLimits,
  onPiece: () => void
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let total = 0
  let line = 0
  const check = (piece: Uint8Array): void => {
    total += piece.length
    line = openLine(piece, line)
    if (total > limits.total) throw new BodyLimitError(`the response is larger than ${describe(limits.total)}`)
    if (line > limits.line) throw new BodyLimitError(`the response has a line longer than ${describe(limits.line)}`)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read()
        if (next.done) return controller.close()
        onPiece()
        try {
          check(next.value)
        } catch (error) {
          await reader.cancel().catch(() => undefined)
          throw error
        }
        controller.enqueue(next.value)
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}

/** The first `limit` bytes of a body; the rest is not read. */
export const head = (body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let left = limit
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read()
      if (next.done) return controller.close()
      const piece = next.value.subarray(0, left)
      left -= piece.length
      controller.enqueue(piece)
      if (left === 0) {
        await reader.cancel().catch(() => undefined)
        controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason)
  })
}
