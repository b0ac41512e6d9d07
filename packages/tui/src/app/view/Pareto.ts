/** Quality against price as a picture: the frontier in braille dots, contestants as letters. */

export interface PlotPoint {
  /** One letter. */
  readonly mark: string
  readonly x: number
  readonly y: number
}

export interface Plot {
  /** Rows of characters, top first. */
  readonly rows: ReadonlyArray<string>
  readonly xLow: number
  readonly xHigh: number
  readonly yLow: number
  readonly yHigh: number
}

/** Points that no other beats in both ways (less x, more y), by rising x. */
export const frontier = <Point extends PlotPoint>(points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  const sorted = points.toSorted((a, b) => a.x - b.x || b.y - a.y)
  const kept: Array<Point> = []
  for (const point of sorted) {
    const last = kept.at(-1)
    if (last === undefined || point.y > last.y) kept.push(point)
  }
  return kept
}

const dotBit = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80]
]

/** A canvas of braille characters, 2 × 4 dots each. */
const makeCanvas = (width: number, height: number) => {
  const cells = new Uint8Array(width * height)
  return {
    dot: (x: number, y: number) => {
      const [column, row] = [Math.floor(x / 2), Math.floor(y / 4)]
      if (column < 0 || column >= width || row < 0 || row >= height) return
      const at = row * width + column
      cells[at] = (cells[at] ?? 0) | (dotBit[y % 4]?.[x % 2] ?? 0)
    },
    rows: (): Array<Array<string>> =>
      Array.from({ length: height }, (_, row) =>
        Array.from({ length: width }, (_, column) => {
          const bits = cells[row * width + column] ?? 0
          return bits === 0 ? " " : String.fromCharCode(0x2800 + bits)
        })
      )
  }
}

const bounds = (values: ReadonlyArray<number>): readonly [number, number] => {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const margin = high === low ? Math.max(Math.abs(high) * 0.1, 0.01) : (high - low) * 0.08
  return [low - margin, high + margin]
}

/** The plot of `width` × `height` characters; null without points. The frontier is drawn as steps: between two of its
 * points nothing better is known. */
export const plot = <Point extends PlotPoint>(
  points: ReadonlyArray<Point>,
  width: number,
  height: number,
  competes: (point: Point) => boolean = () => true
): Plot | null => {
  if (points.length === 0 || width < 8 || height < 3) return null
  const [xLow, xHigh] = bounds(points.map((point) => point.x))
  const [yLow, yHigh] = bounds(points.map((point) => point.y))
  const canvas = makeCanvas(width, height)
  const dotX = (x: number) => Math.round(((x - xLow) / (xHigh - xLow)) * (width * 2 - 1))
  const dotY = (y: number) => Math.round((1 - (y - yLow) / (yHigh - yLow)) * (height * 4 - 1))
  const front = frontier(points.filter(competes))
  front.forEach((point, index) => {
    const next = front[index + 1]
    const end = next === undefined ? width * 2 - 1 : dotX(next.x)
    for (let x = dotX(point.x); x <= end; x += 2) canvas.dot(x, dotY(point.y))
    if (next === undefined) return
    for (let y = dotY(next.y); y <= dotY(point.y); y += 2) canvas.dot(end, y)
  })
  const rows = canvas.rows()
  for (const point of points) {
    const row = rows[Math.floor(dotY(point.y) / 4)]
    const column = Math.floor(dotX(point.x) / 2)
    // Two contestants on one spot: the later letter moves aside, so that both can be read.
    if (row !== undefined) row[nextFree(row, column)] = point.mark
  }
  return { rows: rows.map((row) => row.join("")), xLow, xHigh, yLow, yHigh }
}

const isLetter = (text: string | undefined): boolean => text !== undefined && /[A-Z]/.test(text)

const nextFree = (row: ReadonlyArray<string>, column: number): number => {
  let at = column
  while (at < row.length - 1 && isLetter(row[at])) at += 1
  return at
}
