import type { ProjectIssue } from "../../domain/ProjectError.ts"
import type { SourcePosition } from "../../domain/SourcePosition.ts"

/** More problems than this are not kept: nobody reads them, and a hostile file must fill neither memory nor time. */
const kept = 1000

/** Collects everything that is wrong with a project, so that it can be told at once. */
export class IssueLog {
  readonly #errors: Array<ProjectIssue> = []
  readonly #warnings: Array<ProjectIssue> = []
  readonly #files = new Map<string, number>()
  #dropped = false

  /** Says that a file is read now: problems are told in the order of reading. */
  reading(file: string): void {
    if (!this.#files.has(file)) this.#files.set(file, this.#files.size)
  }

  error(position: SourcePosition, message: string, suggestion: string | null = null): void {
    if (this.#errors.length < kept) this.#errors.push({ position, message, suggestion })
    else this.#dropped = true
  }

  warn(position: SourcePosition, message: string, suggestion: string | null = null): void {
    if (this.#warnings.length < kept) this.#warnings.push({ position, message, suggestion })
  }

  get failed(): boolean {
    return this.#errors.length > 0
  }

  /** Nothing more is kept: there is no use in looking further. */
  get full(): boolean {
    return this.#dropped
  }

  get warnings(): ReadonlyArray<ProjectIssue> {
    return this.#ordered(this.#warnings)
  }

  /** In the order of reading: files as they were read or first mentioned, then line and column. */
  get errors(): ReadonlyArray<ProjectIssue> {
    const ordered = this.#ordered(this.#errors)
    const last = ordered.at(-1)
    if (!this.#dropped || last === undefined) return ordered
    const position = { file: last.position.file, line: null, column: null }
    return [...ordered, { position, message: `and more problems; the first ${kept} are listed`, suggestion: null }]
  }

  #ordered(issues: ReadonlyArray<ProjectIssue>): ReadonlyArray<ProjectIssue> {
    for (const { position } of issues) this.reading(position.file)
    const rank = ({ position }: ProjectIssue) => this.#files.get(position.file) ?? 0
    return [...issues].sort(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.position.line ?? 0) - (b.position.line ?? 0) ||
        (a.position.column ?? 0) - (b.position.column ?? 0)
    )
  }
}
