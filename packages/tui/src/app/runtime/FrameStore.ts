/** The bridge between the running program and React: one immutable frame, replaced as a whole. */
import type { Line } from "../terminal/Line.ts"
import type { Size } from "../view/Layout.ts"

export interface Frame {
  readonly lines: ReadonlyArray<Line>
  readonly size: Size
  /** Whether the terminal's content is not to be trusted: everything is written again. */
  readonly whole: boolean
}

export interface FrameStore {
  readonly get: () => Frame
  readonly subscribe: (listener: () => void) => () => void
  readonly set: (frame: Frame) => void
}

export const makeFrameStore = (first: Frame): FrameStore => {
  let current = first
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    set: (frame) => {
      current = frame
      for (const listener of listeners) listener()
    }
  }
}
