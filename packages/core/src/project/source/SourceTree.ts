import type { SourcePosition } from "../../domain/SourcePosition.ts"
import type { Path } from "./Path.ts"

/** A decoded document that remembers where each value stands. */
export interface SourceTree {
  readonly file: string
  /** Without the parts that `problems` are about. */
  readonly value: unknown
  /** What is wrong, though the rest could be read. */
  readonly problems: ReadonlyArray<SyntaxProblem>
  /** Of the value at `path`, or of the nearest value above it that exists. */
  readonly at: (path: Path) => SourcePosition
  /** Of the key that leads to `path`; the same as `at` for items of lists. */
  readonly keyAt: (path: Path) => SourcePosition
  /** The scalar at `path` as it is written (`007`, `1.50`); null when it is not a scalar. */
  readonly written: (path: Path) => string | null
}

/** A document that could not be read: what is wrong, and where. */
export interface SyntaxProblem {
  readonly position: SourcePosition
  readonly message: string
  readonly suggestion: string | null
}

/** Deeper documents are refused: no project needs them, and recursion must stay bounded. */
export const maxDepth = 100
