/** Finds and reads the case files of a project. */
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import type { ScorerSettings } from "../../domain/Settings.ts"
import type { TestCase } from "../../domain/TestCase.ts"
import type { PathEntry } from "../config/ReadPlaces.ts"
import * as FileSearch from "../source/FileSearch.ts"
import type { IssueLog } from "../source/IssueLog.ts"
import * as ProjectFiles from "../source/ProjectFiles.ts"
import type { SourceText } from "../source/SourceText.ts"
import type { SourceTree } from "../source/SourceTree.ts"
import { quote, suggest } from "../source/Suggestion.ts"
import { readCsv } from "./CsvCases.ts"
import { readJsonLines } from "./JsonLines.ts"
import { readCase } from "./ReadCase.ts"
import { isScenario, readScenarioCase } from "./ScenarioDocument.ts"
import { type CaseFileContent, readJson, readYaml } from "./StructuredCases.ts"

/** Files that a message names. */
const mostNamed = 5

const mebibyte = 1024 * 1024

interface Format {
  readonly read: (source: SourceText, log: IssueLog) => CaseFileContent
  /** Largest size in bytes. YAML needs about a hundred bytes of memory for each of its own. */
  readonly limit: number
}

const plain = (read: (source: SourceText, log: IssueLog) => CaseFileContent["records"]): Format => ({
  read: (source, log) => ({ records: read(source, log), defaults: {} }),
  limit: 64 * mebibyte
})

const yaml: Format = { read: readYaml, limit: 16 * mebibyte }
const jsonLines = plain(readJsonLines)

const formats: Readonly<Record<string, Format>> = {
  ".yaml": yaml,
  ".yml": yaml,
  ".json": { read: readJson, limit: 64 * mebibyte },
  ".jsonl": jsonLines,
  ".ndjson": jsonLines,
  ".csv": plain((source, log) => readCsv(source, ",", log)),
  ".tsv": plain((source, log) => readCsv(source, "\t", log))
}

const extensions = Object.keys(formats).map((extension) => extension.slice(1))

const isCaseFile = (name: string): boolean => Object.hasOwn(formats, extname(name).toLowerCase())

/** What finding and reading cases needs to know about the project. */
export interface CaseContext {
  readonly root: string
  readonly log: IssueLog
  /** Where `tests.paths` stand. */
  readonly tree: SourceTree
  /** How a file is shown to the user. */
  readonly display: (path: string) => string
  readonly scorers: Pick<ScorerSettings, "default" | "options">
}

const describe = (written: string): string => `${quote(written)}: `

/** The files of one entry of `tests.paths`. */
const filesOf = Effect.fnUntraced(function* (context: CaseContext, entry: PathEntry) {
  const path = resolve(context.root, entry.written)
  const fail = (message: string, suggestion: string | null = null) => {
    context.log.error(context.tree.at(entry.path), describe(entry.written) + message, suggestion)
    return []
  }
  const kind = yield* Effect.result(ProjectFiles.kindOf(path))
  if (kind._tag === "Failure") {
    if (!FileSearch.isGlob(entry.written))
      return fail(kind.failure, yield* nearby(context, entry.written, kind.failure))
    const found = yield* Effect.result(globFiles(context.root, entry.written))
    if (found._tag === "Failure") return fail(found.failure)
    return found.success.length === 0 ? fail("no case file matches") : found.success
  }
  if (kind.success === "other") return fail("it is neither a file nor a folder")
  if (kind.success === "file") {
    return isCaseFile(path) ? [path] : fail("not a case file", `case files are ${extensions.join(", ")}`)
  }
  const found = yield* Effect.result(FileSearch.filesUnder(path, isCaseFile))
  if (found._tag === "Failure") return fail(found.failure)
  return found.success.length === 0 ? fail("the folder holds no case file") : found.success
})

/** Case files that a pattern names, and those in folders that it names. */
const globFiles = Effect.fnUntraced(function* (root: string, pattern: string) {
  const files: Array<string> = []
  for (const path of yield* FileSearch.matching(pattern, root)) {
    const kind = yield* Effect.orElseSucceed(ProjectFiles.kindOf(path), () => "other" as const)
    if (kind === "folder") files.push(...(yield* FileSearch.filesUnder(path, isCaseFile)))
    else if (kind === "file" && isCaseFile(path)) files.push(path)
  }
  return files
})

/** A file of the same folder with a similar name. */
const nearby = Effect.fnUntraced(function* (context: CaseContext, written: string, reason: string) {
  if (reason !== ProjectFiles.noSuchFile) return null
  const folder = resolve(context.root, written, "..")
  const names = yield* Effect.orElseSucceed(FileSearch.namesIn(folder), () => [])
  return suggest(
    basename(written),
    names.filter((name) => name !== basename(written) && (isCaseFile(name) || !name.includes("."))),
    "present"
  )
})

/** Without `tests.paths`: files of the project folder whose name begins with "test", then all under `tests/` and `scenarios/`. */
const discover = Effect.fnUntraced(function* (context: CaseContext) {
  const { root, log, tree } = context
  const names = yield* Effect.orElseSucceed(FileSearch.namesIn(root), () => [])
  const found: Array<string> = []
  for (const name of names) {
    if (!/^test/i.test(name) || !isCaseFile(name)) continue
    const path = join(root, name)
    if ((yield* Effect.orElseSucceed(ProjectFiles.kindOf(path), () => "other" as const)) === "file") found.push(path)
  }
  for (const name of ["tests", "scenarios"]) {
    const folder = join(root, name)
    if ((yield* Effect.orElseSucceed(ProjectFiles.kindOf(folder), () => "other" as const)) !== "folder") continue
    const inside = yield* Effect.result(FileSearch.filesUnder(folder, isCaseFile))
    if (inside._tag === "Failure")
      log.error({ file: context.display(folder), line: null, column: null }, inside.failure)
    else found.push(...inside.success)
  }
  if (found.length === 0 && !log.failed) {
    const message = "there are no cases: no file test* in the folder of the project, nothing under tests/ or scenarios/"
    log.error(tree.at([]), message, `add tests.yaml, or name the files under tests (${extensions.join(", ")})`)
  }
  return found
})

const unique = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const seen = new Set<string>()
  const kept: Array<string> = []
  for (const file of files) {
    const real = yield* Effect.orElseSucceed(FileSearch.realPath(file), () => file)
    if (!seen.has(real)) kept.push(file)
    seen.add(real)
  }
  return kept
})

const readFile = Effect.fnUntraced(function* (context: CaseContext, path: string) {
  const { log, scorers } = context
  const extension = extname(path)
  const format = formats[extension.toLowerCase()]
  if (format === undefined) return []
  log.reading(context.display(path))
  const source = yield* Effect.result(ProjectFiles.readText(path, context.display(path), format.limit))
  if (source._tag === "Failure") {
    log.error(source.failure.position, source.failure.message, source.failure.suggestion)
    return []
  }
  if (isScenario(source.success)) return readScenarioCase(source.success, log)
  const { records, defaults } = format.read(source.success, log)
  const folder = relative(context.root, dirname(path)).split(sep).join("/")
  const setting = { log, stem: basename(path, extension), folder, defaults, scorers }
  const cases: Array<TestCase> = []
  for (const record of records) {
    if (log.full) break
    const testCase = readCase(record, setting)
    if (testCase !== null) cases.push(testCase)
  }
  yield* checkAttachments(log, context.root, cases)
  return cases
})

/** Files that messages show must exist. */
const checkAttachments = Effect.fnUntraced(function* (log: IssueLog, root: string, cases: ReadonlyArray<TestCase>) {
  for (const testCase of cases) {
    for (const { content } of testCase.messages) {
      for (const part of typeof content === "string" ? [] : content) {
        if (part.type === "text" || part.path === undefined) continue
        const kind = yield* Effect.result(ProjectFiles.kindOf(resolve(root, part.path)))
        const reason = kind._tag === "Failure" ? kind.failure : kind.success === "file" ? null : "it is not a file"
        if (reason !== null) log.error(testCase.position, `case ${quote(testCase.id)}: ${describe(part.path)}${reason}`)
      }
    }
  }
})

const checkDuplicates = (context: CaseContext, cases: ReadonlyArray<TestCase>): void => {
  const seen = new Map<string, TestCase>()
  for (const testCase of cases) {
    const first = seen.get(testCase.id)
    if (first === undefined) seen.set(testCase.id, testCase)
    else {
      const { file, line, column } = first.position
      const where = `${relative(context.display(context.root), file)}:${line}:${column}`
      context.log.error(testCase.position, `case ${quote(testCase.id)}: duplicate id, first defined at ${where}`)
    }
  }
}

/** All cases of a project in the order of its files, before filters; problems go to the log. */
export const readCases = Effect.fnUntraced(function* (context: CaseContext, paths: ReadonlyArray<PathEntry>) {
  const named: Array<string> = []
  for (const entry of paths) named.push(...(yield* filesOf(context, entry)))
  const files = yield* unique(paths.length === 0 ? yield* discover(context) : named)
  const cases: Array<TestCase> = []
  for (const file of files) for (const testCase of yield* readFile(context, file)) cases.push(testCase)
  checkDuplicates(context, cases)
  if (cases.length === 0 && !context.log.failed) {
    const names = files.slice(0, mostNamed).map((file) => relative(context.root, file))
    const more = files.length > mostNamed ? ", …" : ""
    context.log.error(context.tree.at(["tests"]), `there is no case in the case files (${names.join(", ")}${more})`)
  }
  return cases
})
