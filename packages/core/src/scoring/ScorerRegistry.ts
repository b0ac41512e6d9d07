import { relative } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { didYouMean } from "../domain/DidYouMean.ts"
import { ProjectError, type ProjectIssue } from "../domain/ProjectError.ts"
import type { Scorer } from "../domain/Scorer.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import type { JudgeSettings, ScorerSettings } from "../domain/Settings.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { builtinScorers, builtinsFor } from "./BuiltinScorers.ts"
import type { WrapBlocking } from "./blocking/BlockingScorers.ts"
import type { BoundScorer } from "./CellScore.ts"
import { embeddingFinder, type FindEmbedding, type ImportModule, malformedReference } from "./Embedding.ts"
import { discardPending, takeRegistrations } from "./RegisterScorer.ts"
import { scorersOfModule } from "./ScorerDefinition.ts"
import { scorerFilesAt, stemOf } from "./ScorerFiles.ts"

/** The scorers of one project, by name. */
export interface ScorerRegistry<R = never> {
  /** Built-ins first, then the project's own. */
  readonly scorers: ReadonlyArray<Scorer<R>>
  /** Problems that do not prevent a run, such as a built-in that was replaced. */
  readonly warnings: ReadonlyArray<ProjectIssue>
  readonly find: (name: string) => Scorer<R> | undefined
  /** Everything about the scorers of a case that can be known to be wrong before anything is spent. */
  readonly check: (testCase: TestCase) => ReadonlyArray<ProjectIssue>
  /** The scorers of a case, looked up once. One that does not exist fails with `ScorerError` when it is run. */
  readonly bind: (testCase: TestCase) => ReadonlyArray<BoundScorer<R>>
}

export type { ImportModule } from "./Embedding.ts"

export interface RegistryOptions<R = never> {
  /** Absolute folder of the project. */
  readonly root: string
  readonly settings: ScorerSettings
  /** Scorers written in the program itself. */
  readonly customScorers: ReadonlyArray<Scorer<R>>
  readonly importModule: ImportModule
  /** Moves scorers that declare `blocking: true` into worker threads; absent = they run here. */
  readonly wrapBlocking?: WrapBlocking
  /** Absent = no judge. */
  readonly judge?: JudgeSettings
  /** Cases whose embedding functions are loaded beforehand; absent = on first use. */
  readonly cases?: ReadonlyArray<TestCase>
}

const issue = (file: string, message: string, suggestion: string | null = null): ProjectIssue => ({
  position: { file, line: null, column: null },
  message,
  suggestion
})

/** What reading the project's files found. */
interface Findings<R> {
  readonly scorers: Array<Scorer<R>>
  readonly issues: Array<ProjectIssue>
}

const readFile = Effect.fnUntraced(function* <R>(file: string, shown: string, options: RegistryOptions<R>) {
  const { importModule, wrapBlocking } = options
  discardPending()
  const exports = yield* Effect.mapError(importModule(file), (error) => error.detail)
  const registered = takeRegistrations(exports)
  const scorers = yield* Effect.fromResult(scorersOfModule(exports, registered, stemOf(file), shown))
  if (wrapBlocking === undefined) return scorers
  const place = { file, fallbackName: stemOf(file) }
  return yield* Effect.forEach(scorers, (scorer) =>
    scorer.blocking === true ? wrapBlocking(scorer, place) : Effect.succeed(scorer)
  )
})

const readFiles = Effect.fnUntraced(function* <R>(options: RegistryOptions<R>, into: Findings<R>) {
  const shown = (path: string) => relative(options.root, path) || path
  const files = new Set<string>()
  for (const path of options.settings.paths) {
    const found = yield* Effect.result(scorerFilesAt(path))
    if (Result.isFailure(found)) into.issues.push(issue(shown(path), found.failure))
    else for (const file of found.success) files.add(file)
  }
  // One after the other, so that each registration is known to come from the file that is being loaded.
  for (const file of files) {
    const read = yield* Effect.result(readFile(file, shown(file), options))
    if (Result.isFailure(read)) into.issues.push(issue(shown(file), read.failure))
    else into.scorers.push(...read.success)
  }
})

const nameTaken = <R>(findings: Findings<R>): void => {
  const owners = new Map<string, Scorer<R>>()
  for (const scorer of findings.scorers) {
    const other = owners.get(scorer.name)
    if (other === undefined) owners.set(scorer.name, scorer)
    else {
      const where = other.source === scorer.source ? "twice" : `in ${other.source} and in ${scorer.source}`
      findings.issues.push(issue(scorer.source, `scorer "${scorer.name}" is defined ${where}`, "rename one of them"))
    }
  }
}

/** "unknown scorer" with what is nearest and what there is. */
const explainUnknown = (name: string, known: ReadonlyArray<string>): string => {
  const hint = didYouMean(name, known)
  return `unknown scorer "${name}"${hint === null ? "" : ` (${hint})`}; known: ${known.join(", ")}`
}

const unknownScorer = (name: string, known: ReadonlyArray<string>): Scorer => {
  const detail = explainUnknown(name, known)
  return {
    name,
    description: "",
    requiresReference: false,
    source: "unknown",
    check: () => [detail],
    score: () => Effect.fail(new ScorerError({ scorer: name, detail }))
  }
}

const checkCase = <R>(testCase: TestCase, bound: ReadonlyArray<BoundScorer<R>>): ReadonlyArray<ProjectIssue> =>
  bound.flatMap(({ scorer, params }, index) => {
    const position = testCase.scorers[index]?.position ?? testCase.position
    return scorer.check(testCase, params).map((problem) => ({
      position,
      message: `case "${testCase.id}": ${scorer.source === "unknown" ? "" : `${scorer.name}: `}${problem}`,
      suggestion: null
    }))
  })

/** A registry of these scorers and the built-ins; of two with one name, the later one counts. */
export const fromScorers = <R>(
  own: ReadonlyArray<Scorer<R>>,
  warnings: ReadonlyArray<ProjectIssue> = [],
  builtins: ReadonlyArray<Scorer> = builtinScorers
): ScorerRegistry<R> => {
  const byName = new Map<string, Scorer<R>>()
  for (const scorer of [...builtins, ...own]) byName.set(scorer.name, scorer)
  const known = [...byName.keys()]
  const cache = new WeakMap<TestCase, ReadonlyArray<BoundScorer<R>>>()
  const bind = (testCase: TestCase): ReadonlyArray<BoundScorer<R>> => {
    const cached = cache.get(testCase)
    if (cached !== undefined) return cached
    const bound = testCase.scorers.map(({ type, weight, params }) => ({
      scorer: byName.get(type) ?? unknownScorer(type, known),
      weight,
      params
    }))
    cache.set(testCase, bound)
    return bound
  }
  return {
    scorers: [...byName.values()],
    warnings,
    find: (name) => byName.get(name),
    bind,
    check: (testCase) => checkCase(testCase, bind(testCase))
  }
}

/** Loads the embedding functions that cases name, so that a missing one is known before anything is spent. */
const loadEmbeddings = Effect.fnUntraced(function* <R>(
  cases: ReadonlyArray<TestCase>,
  find: FindEmbedding,
  into: Findings<R>
) {
  const seen = new Set<string>()
  for (const testCase of cases) {
    for (const { type, params, position } of testCase.scorers) {
      const reference = params["embedding"]
      if (type !== "semantic" || typeof reference !== "string" || seen.has(reference)) continue
      seen.add(reference)
      // A malformed name is reported by the check of the case.
      if (malformedReference(reference) !== null) continue
      const found = yield* Effect.result(find(reference))
      if (Result.isSuccess(found)) continue
      const message = `case "${testCase.id}": semantic: param "embedding": ${found.failure}`
      into.issues.push({ position, message, suggestion: null })
    }
  }
})

/**
 * The scorers of a project: the built-ins, those of its files, and those of the program. All problems of all files are
 * reported together.
 */
export const make = Effect.fn("ScorerRegistry.make")(function* <R = never>(
  options: RegistryOptions<R>
): Effect.fn.Return<ScorerRegistry<R>, ProjectError> {
  const findings: Findings<R> = { scorers: [...options.customScorers], issues: [] }
  yield* readFiles(options, findings)
  nameTaken(findings)
  const embeddings = embeddingFinder(options.root, options.importModule)
  if (!findings.scorers.some(({ name }) => name === "semantic")) {
    yield* loadEmbeddings(options.cases ?? [], embeddings, findings)
  }
  const [first, ...rest] = findings.issues
  if (first !== undefined) return yield* new ProjectError({ issues: [first, ...rest] })
  const builtins = builtinsFor({ judge: options.judge ?? null, embeddings })
  const warnings = findings.scorers
    .filter(({ name }) => builtins.some((builtin) => builtin.name === name))
    .map(({ name, source }) => issue(source, `scorer "${name}" replaces the built-in of that name`))
  return fromScorers(findings.scorers, warnings, builtins)
})
