/** Which of the cases take part. */
import type { TestCase } from "../../domain/TestCase.ts"
import type { Chosen } from "../config/ReadContext.ts"
import type { CaseFilter } from "../config/ReadPlaces.ts"
import type { IssueLog } from "../source/IssueLog.ts"
import type { SourceTree } from "../source/SourceTree.ts"
import { quote, suggest } from "../source/Suggestion.ts"

type Words = Chosen<ReadonlyArray<string>> | null

interface FilterContext {
  readonly tree: SourceTree
  readonly log: IssueLog
}

/** Complains about words that name nothing. */
const checkWords = (
  { tree, log }: FilterContext,
  words: Words,
  known: ReadonlySet<string>,
  what: string,
  level: "error" | "warn"
): void => {
  for (const [index, word] of (words?.value ?? []).entries()) {
    if (known.has(word) || words === null) continue
    log[level](
      tree.at([...words.path, index]),
      `no case has the ${what} ${quote(word)}`,
      suggest(word, [...known], "known")
    )
  }
}

/**
 * Applies the filters in this order: ids, any of `tags`, all of `allTags`, `excludeTags`, `limit`. The order of the files
 * is kept. Unknown ids are errors, unknown tags warnings, and so that nobody runs nothing, an empty result is an error.
 */
export const filterCases = (
  context: FilterContext,
  cases: ReadonlyArray<TestCase>,
  filter: CaseFilter
): ReadonlyArray<TestCase> => {
  const { ids, tags, allTags, excludeTags, limit } = filter
  if (ids === null && tags === null && allTags === null && excludeTags === null) {
    return limit === null ? cases : cases.slice(0, limit)
  }
  const knownTags = new Set(cases.flatMap((testCase) => testCase.tags))
  checkWords(context, ids, new Set<string>(cases.map(({ id }) => id)), "id", "error")
  for (const words of [tags, allTags, excludeTags]) checkWords(context, words, knownTags, "tag", "warn")
  const wanted = ids === null ? null : new Set(ids.value)
  const some = (words: Words, testCase: TestCase) => words?.value.some((tag) => testCase.tags.includes(tag)) ?? false
  const left = cases.filter(
    (testCase) =>
      (wanted === null || wanted.size === 0 || wanted.has(testCase.id)) &&
      (tags === null || tags.value.length === 0 || some(tags, testCase)) &&
      (allTags === null || allTags.value.every((tag) => testCase.tags.includes(tag))) &&
      !some(excludeTags, testCase)
  )
  if (left.length === 0 && cases.length > 0 && !context.log.failed) {
    const blamed = tags ?? allTags ?? excludeTags ?? ids
    const message = "no case is left after the filters"
    const near = blamed?.value.map((tag) => suggest(tag, [...knownTags], "known tags")).find((text) => text !== null)
    context.log.error(context.tree.at(blamed?.path ?? ["tests"]), message, near ?? null)
  }
  return limit === null ? left : left.slice(0, limit)
}
