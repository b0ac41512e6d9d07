/** Scrolling of documents. */
import { type Document, maxScroll, visibleRows } from "../view/Document.ts"
import type { Size } from "../view/Layout.ts"
import type { Action } from "./Keymap.ts"

/** Rows that an action moves by; 0 for one that is no movement. */
export const rowsOf = (action: Action, page: number, total: number): number => {
  switch (action) {
    case "up":
      return -1
    case "down":
      return 1
    case "pageUp":
      return -page
    case "pageDown":
      return page
    case "first":
      return -total
    case "last":
      return total
    default:
      return 0
  }
}

/** The first visible row after an action, inside the document. */
export const scrolledIn = (document: Document, scroll: number, action: Action, size: Size): number => {
  const page = Math.max(1, visibleRows(document, size) - 2)
  const most = maxScroll(document, size)
  return Math.max(0, Math.min(most, Math.min(scroll, most) + rowsOf(action, page, document.body.length)))
}
