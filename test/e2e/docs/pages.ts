/** The pages of the documentation. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../cli/arena.ts"

export interface Page {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

export const pages: ReadonlyArray<Page> = globSync(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md"], {
  cwd: root
}).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** The texts of fenced blocks in one of these languages. */
export const blocks = ({ text }: Page, ...languages: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...text.matchAll(/^```(\w*).*\n([\s\S]*?)^```$/gm)].flatMap(([, language = "", block = ""]) =>
    languages.includes(language) ? [block] : []
  )

/** What stands between single back quotes, outside of fenced blocks. */
export const codeSpans = ({ text }: Page): ReadonlyArray<string> =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span)
