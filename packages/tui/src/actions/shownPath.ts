import { relative } from "node:path"

/** A file or folder as the user would name it: relative when it lies under the present folder. */
export const shownPath = (file: string): string => {
  const path = relative(process.cwd(), file)
  if (path === "") return "."
  return path.startsWith("..") ? file : path
}
