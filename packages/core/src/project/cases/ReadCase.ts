/** From a record to a test case. */
import { isAbsolute, posix } from "node:path"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import { CaseId } from "../../domain/Ids.ts"
import type { ContentPart, Message } from "../../domain/Message.ts"
import type { ScorerSettings } from "../../domain/Settings.ts"
import type { CaseScorer, Params, TestCase } from "../../domain/TestCase.ts"
import { tokenLimit } from "../config/ReadLimits.ts"
import type { IssueLog } from "../source/IssueLog.ts"
import type { Path } from "../source/Path.ts"
import * as SchemaFindings from "../source/SchemaFindings.ts"
import { quote, show } from "../source/Suggestion.ts"
import { type CaseDefaults, type CaseEntry, decodeEntry, type ScorerEntry, type Turn } from "./CaseFile.ts"
import {
  contradiction,
  idKeys,
  inputKeys,
  nameOf,
  paramKeys,
  referenceKeys,
  systemKeys,
  typeKeys
} from "./CaseNames.ts"
import type { CasePlaces, CaseRecord } from "./CaseRecord.ts"

/** What the cases of one file share. */
export interface CaseSetting {
  readonly log: IssueLog
  /** Name of the file without its extension: the beginning of automatic ids. */
  readonly stem: string
  /** Its folder, relative to that of the project, with `/`; empty = that of the project itself. */
  readonly folder: string
  readonly defaults: CaseDefaults
  readonly scorers: Pick<ScorerSettings, "default" | "options">
}

/** Cases with more keys are refused before each of them is complained about. */
const mostKeys = 1000

const none: ReadonlyArray<string> = []
const noParams: Params = {}

/** Writes about one case: where it stands, which one it is. */
interface Pen {
  readonly record: CaseRecord
  /** Those of the record, made once. */
  readonly places: () => CasePlaces
  readonly log: IssueLog
  readonly id: string
  /** As in `CaseSetting`. */
  readonly folder: string
}

/** `case "refund_2": `. */
const labelOf = (pen: Pen): string => `case ${quote(pen.id)}: `

const error = (pen: Pen, path: Path, message: string, suggestion: string | null = null): void =>
  pen.log.error(path.length === 0 ? pen.record.position : pen.places().at(path), labelOf(pen) + message, suggestion)

/** A function that is called at most once. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The name under which a setting is given; another name with another value is an error. */
const choose = <B extends object, K extends keyof B & string>(pen: Pen, block: B, keys: ReadonlyArray<K>): K | null => {
  const { key, contradicted } = nameOf(block, keys)
  if (key !== null && contradicted !== null) {
    const message = labelOf(pen) + contradiction(key, contradicted)
    pen.log.error(pen.places().keyAt([contradicted]), message, "keep one of them")
  }
  return key
}

/** A number or boolean as it stands in the file. */
const writtenAs = (record: CaseRecord, places: () => CasePlaces, key: string, value: number | boolean): string =>
  record.canonical ? String(value) : (places().written([key]) ?? String(value))

/** A number or boolean stands for the text that is written. */
const asText = (pen: Pen, key: string, value: string | number | boolean): string =>
  typeof value === "string" ? value : writtenAs(pen.record, pen.places, key, value)

/** A path as written beside the case, as the project's folder sees it. */
const fromProject = ({ folder }: Pen, path: string): string =>
  folder === "" || isAbsolute(path) ? path : posix.join(folder, path)

const toPart = (pen: Pen, path: Path, part: Exclude<Turn["content"], string>[number]): ContentPart => {
  if (part.type === "text") {
    if (part.text == null) error(pen, path, "a part with type: text needs text")
    return { type: "text", text: part.text ?? "" }
  }
  if ((part.path == null) === (part.url == null)) error(pen, path, `a part with type: ${part.type} needs path or url`)
  return {
    type: part.type,
    ...(part.path == null ? {} : { path: fromProject(pen, part.path) }),
    ...(part.url == null ? {} : { url: part.url }),
    ...(part.media_type == null ? {} : { mediaType: part.media_type })
  }
}

const toMessage = (pen: Pen, path: Path, { role, content }: Turn): Message => ({
  role,
  content:
    typeof content === "string" ? content : content.map((part, at) => toPart(pen, [...path, "content", at], part))
})

const noMessage: Message = { role: "user", content: "" }

const readMessages = (pen: Pen, entry: CaseEntry, damaged: boolean): TestCase["messages"] => {
  const key = choose(pen, entry, inputKeys)
  const input = key === null ? undefined : entry[key]
  if (key === null || input === undefined || input === null) {
    if (!damaged) error(pen, [], "input is missing", `give one of ${inputKeys.join(", ")}`)
    return [noMessage]
  }
  if (typeof input !== "object") return [{ role: "user", content: asText(pen, key, input) }]
  const [first, ...rest] = input.map((turn, index) => toMessage(pen, [key, index], turn))
  if (first === undefined) error(pen, [key], "expected at least one message, got an empty list")
  return [first ?? noMessage, ...rest]
}

/** Options of a scorer: of the project, under those of the case, under those of the scorer's own entry. */
const overlay = (...layers: ReadonlyArray<Params | null | undefined>): Params => {
  let params: Params = noParams
  for (const layer of layers) {
    if (layer !== null && layer !== undefined) params = params === noParams ? layer : { ...params, ...layer }
  }
  return params
}

const ofProject = ({ options }: CaseSetting["scorers"], type: string): Params | null =>
  Object.hasOwn(options, type) ? (options[type] ?? null) : null

const readScorerEntry = (
  pen: Pen,
  setting: CaseSetting,
  index: number,
  given: string | ScorerEntry,
  params: Params | null
): CaseScorer => {
  const entry = typeof given === "string" ? { type: given } : given
  const path: Path = ["scorers", index]
  if (entry.type.trim() === "") error(pen, path, "the name of the scorer is missing")
  if (entry.params != null && entry.options != null && !Equal.equals(entry.params, entry.options)) {
    error(pen, path, '"params" and "options" are two names of one setting', "keep one of them")
  }
  return {
    type: entry.type,
    weight: entry.weight ?? 1,
    params: overlay(ofProject(setting.scorers, entry.type), params, entry.params ?? entry.options),
    position: pen.places().at(path)
  }
}

const readScorers = (pen: Pen, setting: CaseSetting, entry: CaseEntry): TestCase["scorers"] => {
  const ownType = choose(pen, entry, typeKeys)
  const list = entry.scorers ?? (ownType === null ? setting.defaults.scorers : null)
  if (entry.scorers != null && ownType !== null) {
    error(pen, ["scorers"], `"scorers" and "${ownType}" cannot be given together`)
  }
  const paramKey = choose(pen, entry, paramKeys)
  const params =
    paramKey === null ? (setting.defaults.params ?? setting.defaults.options ?? null) : (entry[paramKey] ?? null)
  if (list !== null && list !== undefined) {
    const [first, ...rest] = list.map((given, index) => readScorerEntry(pen, setting, index, given, params))
    if (first !== undefined) return [first, ...rest]
    error(pen, ["scorers"], "expected at least one scorer, got an empty list")
  }
  const fallback = typeKeys.map((key) => setting.defaults[key]).find((type) => type != null)
  const type = (ownType === null ? fallback : entry[ownType]) ?? setting.scorers.default
  return [{ type, weight: 1, params: overlay(ofProject(setting.scorers, type), params), position: pen.record.position }]
}

const readTags = (pen: Pen, tags: CaseEntry["tags"]): ReadonlyArray<string> => {
  if (tags === undefined || tags === null) return none
  const list = typeof tags === "object" ? tags : [tags]
  for (const tag of list) {
    if (typeof tag === "string" && tag.trim() === "") error(pen, ["tags"], "a tag is empty")
  }
  return list.every((tag) => typeof tag === "string") ? list : list.map((tag) => String(tag))
}

const readSystem = (pen: Pen, setting: CaseSetting, entry: CaseEntry): string | null => {
  const key = choose(pen, entry, systemKeys)
  const own = key === null ? null : entry[key]
  if (key !== null && own !== undefined && own !== null) return asText(pen, key, own)
  const shared = systemKeys.map((name) => setting.defaults[name]).find((value) => value != null)
  return shared === undefined || shared === null ? null : String(shared)
}

/** The id of a record: its own, or made from the file's name and its number. */
const readId = (record: CaseRecord, places: () => CasePlaces, stem: string): string => {
  const value = record.value
  if (typeof value === "object" && value !== null) {
    for (const key of idKeys) {
      const id: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : null
      if (typeof id === "string" && id !== "") return id
      if (typeof id === "number" || typeof id === "boolean") return writtenAs(record, places, key, id)
    }
  }
  return `${stem}-${String(record.index).padStart(3, "0")}`
}

/** Decodes a record; what does not fit is reported and left out. */
const decode = (pen: Pen): { readonly entry: CaseEntry; readonly damaged: boolean } => {
  const { record, log } = pen
  const decoded = decodeEntry(record.value)
  if (Result.isSuccess(decoded)) return { entry: decoded.success, damaged: false }
  const found = SchemaFindings.findings(decoded.failure.issue)
  SchemaFindings.report(log, { value: record.value, ...pen.places() }, found, labelOf(pen))
  const rest = decodeEntry(SchemaFindings.prune(record.value, found))
  const damaged = found.some(({ _tag }) => _tag !== "UnknownKey")
  return Result.isSuccess(rest) ? { entry: rest.success, damaged } : { entry: {}, damaged: true }
}

const isOff = (value: object): boolean =>
  ("enabled" in value && value.enabled === false) || ("skip" in value && value.skip === true)

/** The case of a record; null when the record is switched off or is no mapping (which is reported). */
export const readCase = (record: CaseRecord, setting: CaseSetting): TestCase | null => {
  const { log, stem, defaults } = setting
  const { value } = record
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    log.error(record.position, `case ${record.index}: expected a mapping, got ${show(value)}`)
    return null
  }
  if (isOff(value)) return null
  const keys = Object.keys(value).length
  if (keys > mostKeys) {
    log.error(record.position, `case ${record.index}: it has ${keys} keys, more than any case needs`)
    return null
  }
  const places = once(record.places)
  const id = readId(record, places, stem)
  const pen: Pen = { record, places, log, id, folder: setting.folder }
  const { entry, damaged } = decode(pen)
  choose(pen, entry, idKeys)
  const referenceKey = choose(pen, entry, referenceKeys)
  const responseFormat = entry.response_format ?? defaults.response_format
  return {
    id: CaseId.make(id),
    messages: readMessages(pen, entry, damaged),
    ...(referenceKey === null ? {} : { reference: entry[referenceKey] }),
    system: readSystem(pen, setting, entry),
    scorers: readScorers(pen, setting, entry),
    tags: readTags(pen, entry.tags ?? defaults.tags),
    weight: entry.weight ?? defaults.weight ?? 1,
    maxTokens: tokenLimit(entry.max_tokens ?? defaults.max_tokens),
    temperature: entry.temperature ?? defaults.temperature ?? null,
    metadata: entry.metadata ?? defaults.metadata ?? noParams,
    ...(responseFormat == null ? {} : { responseFormat }),
    position: record.position
  }
}
