/** A real terminal model (xterm, headless) with the streams of a TTY in front of it. */
import { PassThrough, Writable } from "node:stream"
import xterm from "@xterm/headless"
import stringWidth from "string-width"

/** Widths as modern terminals measure them; the model's own table is that of Unicode 6. */
const modernWidths = {
  version: "modern",
  wcwidth: (codePoint: number): 0 | 1 | 2 => {
    // Vowels and final consonants of Hangul stand inside their syllable.
    if ((codePoint >= 0x1160 && codePoint <= 0x11ff) || (codePoint >= 0xd7b0 && codePoint <= 0xd7ff)) return 0
    const width = stringWidth(String.fromCodePoint(codePoint))
    return width === 0 ? 0 : width === 1 ? 1 : 2
  },
  charProperties: (codePoint: number, preceding: number): number => {
    const width = modernWidths.wcwidth(codePoint)
    const joins = width === 0 && preceding !== 0
    const columns = joins ? (preceding >> 1) & 3 : width
    return (columns << 1) | (joins ? 1 : 0)
  }
}

export interface VirtualTerminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Everything written so far. */
  readonly bytes: () => string
  /** The visible rows as text, right-trimmed. */
  readonly rows: () => ReadonlyArray<string>
  readonly text: () => string
  /** The scrollback and the screen, right-trimmed, without the empty rows at the end; wrapped rows are joined. */
  readonly everything: () => ReadonlyArray<string>
  readonly isAlternate: () => boolean
  readonly cursorShows: () => boolean
  readonly type: (keys: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Waits until the screen is as it should be; checked after everything that is written. */
  readonly until: (wanted: (text: string) => boolean) => Promise<string>
  /** Completes when everything written so far stands on the screen. */
  readonly settled: () => Promise<void>
  /** What was written to stderr. */
  readonly errors: () => string
}

export const makeVirtualTerminal = (columns: number, rows: number): VirtualTerminal => {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 100 })
  terminal.unicode.register(modernWidths)
  terminal.unicode.activeVersion = "modern"
  const waiting = new Set<() => void>()
  let written = ""
  let errors = ""
  const screen = () =>
    Array.from({ length: terminal.rows }, (_, row) => {
      const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)
      return (line?.translateToString(true) ?? "").trimEnd()
    })
  const everything = () => {
    const { active } = terminal.buffer
    const lines: Array<string> = []
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row)
      const text = (line?.translateToString(true) ?? "").trimEnd()
      if (line?.isWrapped === true) lines.push((lines.pop() ?? "") + text)
      else lines.push(text)
    }
    while (lines.at(-1) === "") lines.pop()
    return lines
  }
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written += String(chunk)
      terminal.write(String(chunk), () => {
        for (const check of [...waiting]) check()
      })
      done()
    }
  })
  const stdout = Object.assign(output, { isTTY: true, columns, rows })
  const stderr = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        errors += String(chunk)
        done()
      }
    }),
    { isTTY: true, columns, rows }
  )
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode() {
      return stdin
    },
    ref() {
      return stdin
    },
    unref() {
      return stdin
    }
  })
  return {
    // The streams have what the program uses of a TTY; the rest of the type belongs to real file descriptors.
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    bytes: () => written,
    rows: screen,
    text: () => screen().join("\n"),
    everything,
    isAlternate: () => terminal.buffer.active.type === "alternate",
    cursorShows: () => written.lastIndexOf("\u001b[?25h") > written.lastIndexOf("\u001b[?25l"),
    type: (keys) => {
      stdin.write(keys)
    },
    resize: (nextColumns, nextRows) => {
      terminal.resize(nextColumns, nextRows)
      Object.assign(stdout, { columns: nextColumns, rows: nextRows })
      stdout.emit("resize")
    },
    until: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          const text = screen().join("\n")
          if (!wanted(text)) return
          waiting.delete(check)
          resolve(text)
        }
        waiting.add(check)
        check()
      }),
    settled: () => new Promise((resolve) => terminal.write("", resolve)),
    errors: () => errors
  }
}
