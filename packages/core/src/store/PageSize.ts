/** How many results a page may hold: outputs can be of any length, and a page of them is in memory as a whole. */

/** Rows of a page of ordinary results. */
export const mostRows = 500

/** Characters of the texts of a page, about; the last result of a page may go beyond it. */
const mostCharacters = 4 * 1024 * 1024

/** The texts of a result. */
export interface Texts {
  readonly output: string | null
  readonly record: string | null
}

/** Tells of each row of a page, in their order, whether the page is full with it. */
export const filling = (): ((row: Texts) => boolean) => {
  let rows = 0
  let characters = 0
  return ({ output, record }) => {
    rows += 1
    characters += (output?.length ?? 0) + (record?.length ?? 0)
    return rows >= mostRows || characters >= mostCharacters
  }
}
