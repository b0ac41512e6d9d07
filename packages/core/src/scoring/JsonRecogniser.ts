/** A strict JSON recogniser that says how far it came, so that a search for JSON in a text stays linear. */

/** What became of one attempt to read an object or array at a place in a text. */
export interface Recognition {
  /** Exclusive end of the value; -1 when the text there is no JSON. */
  readonly end: number
  /** Where reading stopped. */
  readonly stoppedAt: number
  /** Starts of the containers that were still open; reading any of them on its own would stop at the same place. */
  readonly open: ReadonlyArray<number>
  /** Largest containers that were complete although what is around them is not, as (start, end) pairs in order. */
  readonly complete: ReadonlyArray<readonly [start: number, end: number]>
}

const expect = {
  value: 0,
  valueOrEnd: 1,
  keyOrEnd: 2,
  key: 3,
  colon: 4,
  commaOrEnd: 5
} as const
type Expectation = (typeof expect)[keyof typeof expect]

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const hex4 = /[0-9a-fA-F]{4}/y

const matchesAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** Exclusive end of the string that begins at a quote; when it is broken, minus one minus the place where it breaks. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 34) return at + 1
    if (code < 32) return -1 - at
    if (code !== 92) {
      at += 1
      continue
    }
    const escaped = text.charAt(at + 1)
    if (escaped === "u") {
      const end = matchesAt(hex4, text, at + 2)
      if (end === -1) return -1 - at
      at = end
    } else if (escaped !== "" && '"\\/bfnrt'.includes(escaped)) at += 2
    else return -1 - at
  }
  return -1 - at
}

/** Exclusive end of a number, string or literal; when it is broken, minus one minus the place where it breaks. */
const endOfScalar = (text: string, at: number): number => {
  const char = text.charAt(at)
  if (char === '"') return endOfString(text, at)
  for (const literal of ["true", "false", "null"]) {
    if (text.startsWith(literal, at)) return at + literal.length
  }
  const end = matchesAt(number, text, at)
  return end === -1 ? -1 - at : end
}

const isOpening = (code: number): boolean => code === 123 || code === 91

class Reader {
  at: number
  readonly open: Array<number> = []
  readonly complete: Array<readonly [number, number]> = []
  expectation: Expectation = expect.value
  readonly text: string

  constructor(text: string, start: number) {
    this.text = text
    this.at = start
  }

  /** Whether the innermost open container is an object. */
  private get inObject(): boolean {
    const innermost = this.open[this.open.length - 1]
    return innermost !== undefined && this.text.charCodeAt(innermost) === 123
  }

  private push(code: number): void {
    this.open.push(this.at)
    this.expectation = code === 123 ? expect.keyOrEnd : expect.valueOrEnd
    this.at += 1
  }

  /** Closes the innermost container, which swallows the complete ones inside it. */
  private pop(): void {
    const start = this.open.pop() ?? 0
    this.at += 1
    let last = this.complete[this.complete.length - 1]
    while (last !== undefined && last[0] > start) {
      this.complete.pop()
      last = this.complete[this.complete.length - 1]
    }
    this.complete.push([start, this.at])
    this.expectation = expect.commaOrEnd
  }

  private scalar(next: Expectation, end: number): boolean {
    this.at = end < 0 ? -1 - end : end
    this.expectation = next
    return end >= 0
  }

  /** Reads one token; false when it is not what JSON allows here. */
  step(code: number): boolean {
    switch (this.expectation) {
      case expect.valueOrEnd:
        if (code === 93) {
          this.pop()
          return true
        }
        return this.value(code)
      case expect.value:
        return this.value(code)
      case expect.keyOrEnd:
        if (code === 125) {
          this.pop()
          return true
        }
        return this.key(code)
      case expect.key:
        return this.key(code)
      case expect.colon:
        if (code !== 58) return false
        this.at += 1
        this.expectation = expect.value
        return true
      case expect.commaOrEnd:
        return this.afterValue(code)
    }
  }

  private value(code: number): boolean {
    if (!isOpening(code)) return this.scalar(expect.commaOrEnd, endOfScalar(this.text, this.at))
    this.push(code)
    return true
  }

  private key(code: number): boolean {
    return code === 34 && this.scalar(expect.colon, endOfString(this.text, this.at))
  }

  private afterValue(code: number): boolean {
    const inObject = this.inObject
    if (code === 44) {
      this.at += 1
      this.expectation = inObject ? expect.key : expect.value
      return true
    }
    if (code !== (inObject ? 125 : 93)) return false
    this.pop()
    return true
  }
}

/** Reads the object or array that begins at `start`; each character is looked at once. */
export const recogniseAt = (text: string, start: number): Recognition => {
  const reader = new Reader(text, start)
  while (reader.at < text.length) {
    const code = text.charCodeAt(reader.at)
    if (isBlank(code)) {
      reader.at += 1
      continue
    }
    if (!reader.step(code)) break
    if (reader.open.length === 0) return { end: reader.at, stoppedAt: reader.at, open: [], complete: [] }
  }
  return { end: -1, stoppedAt: reader.at, open: reader.open, complete: reader.complete }
}
