/** Links inside of the documentation lead somewhere. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../cli/arena.ts"
import { pages } from "./pages.ts"

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")

const anchors = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))

describe("documentation", () => {
  it.each(pages)("$path: its links lead to files and headings that exist", ({ path, text }) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    const broken = links.flatMap(([link, target = "", anchor]) => {
      const file = target === "" ? join(root, path) : join(root, dirname(path), target)
      if (!existsSync(file)) return [link]
      return anchor === undefined || (statSync(file).isFile() && anchors(file).includes(anchor)) ? [] : [link]
    })
    assert.deepStrictEqual(broken, [])
  })
})
