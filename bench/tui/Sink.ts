/** A terminal that swallows everything at once: what the screen costs without any terminal behind it. */
import { PassThrough, Writable } from "node:stream"

export interface Sink {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly bytes: () => number
  /** Called after each write. */
  readonly onWrite: (listener: () => void) => void
}

export const makeSink = (columns: number, rows: number): Sink => {
  let bytes = 0
  let listener = () => {}
  const output = new Writable({
    write(chunk, _encoding, done) {
      bytes += chunk.length
      listener()
      done()
    }
  })
  const chain = { setRawMode: () => stdin, ref: () => stdin, unref: () => stdin }
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, ...chain })
  const stdout = Object.assign(output, { isTTY: true, columns, rows })
  return {
    // The streams have what the program uses of a TTY; the rest of the type belongs to real file descriptors.
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    bytes: () => bytes,
    onWrite: (next) => {
      listener = next
    }
  }
}
