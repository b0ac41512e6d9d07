/** Emphasis of a text that is shown in a terminal. Colour never carries meaning alone: the words say it, too. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly warn: (text: string) => string
  readonly bad: (text: string) => string
  readonly accent: (text: string) => string
}

const same = (text: string): string => text

/** No emphasis at all: files, pipes, `NO_COLOR`. */
export const plain: Style = { bold: same, dim: same, good: same, warn: same, bad: same, accent: same }

const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`

/** The sixteen colours every terminal has, so that the user's own palette decides how they look. */
export const ansi: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  good: sgr(32, 39),
  warn: sgr(33, 39),
  bad: sgr(31, 39),
  accent: sgr(36, 39)
}
