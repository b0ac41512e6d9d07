/** One case as it stands in a file, before it is understood. */
import type { SourcePosition } from "../../domain/SourcePosition.ts"
import type { Path } from "../source/Path.ts"

/** `value` is what a case is decoded from; `at` and `keyAt` say where its parts stand. */
export interface CaseRecord {
  readonly value: unknown
  /** 1-based number among all records of the file; part of the automatic id. */
  readonly index: number
  readonly position: SourcePosition
  /** Numbers and booleans stand in the file as JavaScript writes them, so that `written` need not be asked. */
  readonly canonical: boolean
  /** Made only when something is wrong, or a scalar is needed as it is written. */
  readonly places: () => CasePlaces
}

export interface CasePlaces {
  readonly at: (path: Path) => SourcePosition
  readonly keyAt: (path: Path) => SourcePosition
  /** The scalar at `path` as it is written; null when that cannot be told. */
  readonly written: (path: Path) => string | null
}

/** Places of a record that has only one. */
export const singlePlace = (position: SourcePosition): CasePlaces => ({
  at: () => position,
  keyAt: () => position,
  written: () => null
})
