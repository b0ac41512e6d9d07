import { Box, Text, useInput, useIsScreenReaderEnabled, usePaste, useStdout } from "ink"
import { useEffect, useLayoutEffect, useSyncExternalStore } from "react"
import type { FrameStore } from "../runtime/FrameStore.ts"
import { keyNames } from "../runtime/Keys.ts"
import { enterPainting, leavePainting, type Painter } from "../runtime/Painter.ts"
import { lineText } from "../terminal/Line.ts"

export interface ScreenProps {
  readonly store: FrameStore
  readonly painter: Painter
  readonly onKey: (key: string) => void
  readonly onPaste: (text: string) => void
  /** The terminal has a new size. */
  readonly onResize: () => void
  /** The frame stands on the screen. */
  readonly onPainted: () => void
  /** Writes to the terminal. */
  readonly write: (bytes: string) => void
}

/** The frame as it stands, painted line by line; as plain text where it is read aloud. */
export const Screen = ({ store, painter, onKey, onPaste, onResize, onPainted, write }: ScreenProps) => {
  const frame = useSyncExternalStore(store.subscribe, store.get)
  const spoken = useIsScreenReaderEnabled()
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
  useLayoutEffect(() => {
    if (spoken) return
    write(enterPainting)
    // Some multiplexers restore the normal screen wrongly unless this one is empty when it goes.
    return () => write(leavePainting)
  }, [spoken, write])
  useLayoutEffect(() => {
    if (spoken) return
    if (frame.whole) painter.forget()
    const bytes = painter.paint(frame.lines, frame.size.width)
    if (bytes !== "") write(bytes)
    onPainted()
  }, [frame, painter, spoken, onPainted, write])
  if (!spoken) return null
  return (
    <Box flexDirection="column">
      <Text>{frame.lines.map(lineText).join("\n")}</Text>
    </Box>
  )
}
