/** Words that differ between an expected text and an output (Myers' greedy algorithm, bounded). */

export interface Piece {
  readonly kind: "same" | "missing" | "extra"
  readonly text: string
}

/** More edits than this are not a difference to read but another text. */
const maxEdits = 400
const maxWords = 4000

const words = (text: string): ReadonlyArray<string> => text.match(/\n|[^\S\n]+|[^\s]+/g) ?? []

/** Furthest points reached after each number of edits; null when there are too many. */
const search = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Int32Array> | null => {
  const limit = Math.min(maxEdits, a.length + b.length)
  const offset = limit + 1
  const reach = new Int32Array(2 * limit + 3)
  const trace: Array<Int32Array> = []
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reach.slice())
    for (let k = -edits; k <= edits; k += 2) {
      const below = reach[offset + k + 1] ?? 0
      const beside = reach[offset + k - 1] ?? 0
      let x = k === -edits || (k !== edits && beside < below) ? below : beside + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      reach[offset + k] = x
      if (x >= a.length && x - k >= b.length) return trace
    }
  }
  return null
}

/** Walks the trace back from the end; pieces in reverse order. */
const backtrack = (
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>,
  trace: ReadonlyArray<Int32Array>
): Array<Piece> => {
  const offset = Math.min(maxEdits, a.length + b.length) + 1
  const pieces: Array<Piece> = []
  let [x, y] = [a.length, b.length]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] ?? new Int32Array()
    const k = x - y
    const down = k === -edits || (k !== edits && (reach[offset + k - 1] ?? 0) < (reach[offset + k + 1] ?? 0))
    const fromK = down ? k + 1 : k - 1
    const fromX = edits === 0 ? 0 : (reach[offset + fromK] ?? 0)
    const fromY = edits === 0 ? 0 : fromX - fromK
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0) && a[x - 1] === b[y - 1]) {
      pieces.push({ kind: "same", text: a[x - 1] ?? "" })
      x -= 1
      y -= 1
    }
    if (edits === 0) break
    if (down) pieces.push({ kind: "extra", text: b[y - 1] ?? "" })
    else pieces.push({ kind: "missing", text: a[x - 1] ?? "" })
    ;[x, y] = [fromX, fromY]
  }
  return pieces
}

const merged = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const out: Array<Piece> = []
  for (const piece of pieces) {
    const last = out.at(-1)
    if (last?.kind === piece.kind) out[out.length - 1] = { kind: last.kind, text: last.text + piece.text }
    else out.push(piece)
  }
  return out
}

/** What of `expected` is missing in `output`, and what is extra; null when the two have too little in common. */
export const diffWords = (expected: string, output: string): ReadonlyArray<Piece> | null => {
  const [a, b] = [words(expected), words(output)]
  if (a.length > maxWords || b.length > maxWords) return null
  const trace = search(a, b)
  return trace === null ? null : merged(backtrack(a, b, trace).reverse())
}
