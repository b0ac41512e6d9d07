/** A reader of GFM tables, written from the specification and independent of the writer. */

/** Cells of a table row: split at pipes that are not escaped, outer pipes dropped. */
export const cells = (line: string): ReadonlyArray<string> => {
  const out: Array<string> = []
  let cell = ""
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "|") {
      out.push(cell)
      cell = ""
      continue
    }
    cell += line.slice(i, line[i] === "\\" ? ++i + 1 : i + 1)
  }
  return out.slice(1).map((text) => text.trim())
}

export interface GfmTable {
  readonly heading: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** All tables of a document with the last heading before each. */
export const tables = (markdown: string): ReadonlyArray<GfmTable> => {
  const lines = markdown.split("\n")
  const found: Array<GfmTable> = []
  let heading = ""
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ""
    if (/^#{1,6} /.test(line)) heading = line.replace(/^#+ /, "")
    if (!/^\| ?:?-/.test(lines[i + 1] ?? "") || !line.startsWith("|")) continue
    const rows: Array<ReadonlyArray<string>> = []
    let at = i + 2
    while ((lines[at] ?? "").startsWith("|")) rows.push(cells(lines[at++] ?? ""))
    found.push({ heading, columns: cells(line), rows })
    i = at - 1
  }
  return found
}

/** What a reader sees of an escaped text. */
export const shown = (cell: string): string =>
  cell
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
