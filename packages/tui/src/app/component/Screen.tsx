import { Box, Text, useInput, usePaste, useStdout } from "ink"
import { useEffect, useLayoutEffect, useSyncExternalStore } from "react"
import type { FrameStore } from "../runtime/FrameStore.ts"
import { keyNames } from "../runtime/Keys.ts"
import { enterPainting, leavePainting, type Painter } from "../runtime/Painter.ts"
import { lineText } from "../terminal/Line.ts"

export interface ScreenProps {
  readonly store: FrameStore
  /** Null = the text is read aloud. */
  readonly painter: Painter | null
  readonly onKey: (key: string) => void
  readonly onPaste: (text: string) => void
  /** The terminal has a new size. */
  readonly onResize: () => void
  /** The frame stands on the screen. */
  readonly onPainted: () => void
  /** Writes to the terminal. */
  readonly write: (bytes: string) => void
}

/**
 * Paints each frame of the store as it comes. React renders nothing and is not asked again for a frame: its commit and
 * Ink's layout would cost more than the frame.
 */
const Painted = ({
  store,
  painter,
  onPainted,
  write
}: Omit<ScreenProps, "painter"> & { readonly painter: Painter }) => {
  useLayoutEffect(() => {
    write(enterPainting)
    const paint = () => {
      const frame = store.get()
      if (frame.whole) painter.forget()
      const bytes = painter.paint(frame.lines, frame.size.width)
      if (bytes !== "") write(bytes)
      onPainted()
    }
    const unsubscribe = store.subscribe(paint)
    paint()
    return () => {
      unsubscribe()
      // Some multiplexers restore the normal screen wrongly unless this one is empty when it goes.
      write(leavePainting)
    }
  }, [store, painter, onPainted, write])
  return null
}

/** The frame as plain text, which Ink hands to a screen reader. */
const Spoken = ({ store }: Pick<ScreenProps, "store">) => {
  const frame = useSyncExternalStore(store.subscribe, store.get)
  return (
    <Box flexDirection="column">
      <Text>{frame.lines.map(lineText).join("\n")}</Text>
    </Box>
  )
}

/** The whole program on the screen: keys and sizes in, frames out. */
export const Screen = (props: ScreenProps) => {
  const { painter, onKey, onPaste, onResize } = props
  const { stdout } = useStdout()
  useInput((input, key) => {
    for (const name of keyNames(input, key)) onKey(name)
  })
  usePaste(onPaste)
  useEffect(() => {
    stdout.on("resize", onResize)
    return () => {
      stdout.off("resize", onResize)
    }
  }, [stdout, onResize])
  return painter === null ? <Spoken store={props.store} /> : <Painted {...props} painter={painter} />
}
