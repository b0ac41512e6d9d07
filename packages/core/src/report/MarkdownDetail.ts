/** The parts of the Markdown report that look at tags, cases and single answers. */
import { columnFormat, count, epsilon, percent, plural, unknown } from "./Figures.ts"
import { escape, escapeClipped, section, table } from "./MarkdownText.ts"
import type { CaseMark, ReportDetail } from "./ReportDetail.ts"
import type { ReportModel } from "./ReportModel.ts"

/** More rows than this help nobody in a Markdown file. */
const casesShown = 200

/** Mean score by tag, a row a tag. */
export const byTag = ({ rows }: ReportModel): string => {
  const measured = rows.filter(({ entry }) => Object.keys(entry.byTag).length > 0)
  const tags = [...new Set(measured.flatMap(({ entry }) => Object.keys(entry.byTag)))].toSorted()
  if (tags.length === 0) return ""
  return section(
    "Accuracy by tag",
    table(
      [{ heading: "Tag" }, ...measured.map(({ entry }) => ({ heading: escape(entry.label), align: "right" as const }))],
      tags.map((tag) => [escape(tag), ...measured.map(({ entry }) => percent(entry.byTag[tag] ?? null))])
    )
  )
}

const means = columnFormat("composite")

const markText = (mark: CaseMark | null): string => {
  if (mark === null) return unknown
  const { errors, mean } = mark
  if (mean === null) return errors > 0 ? "ERR" : unknown
  const text = mean >= 1 - epsilon ? "✓" : mean <= epsilon ? "✗" : means(mean)
  return errors > 0 ? `${text} + ${count(errors)} ERR` : text
}

/** How far contestants are apart on a case, 0..1; an error counts as 0. */
const spread = (marks: ReadonlyArray<CaseMark | null>): number => {
  const values = marks.flatMap((mark) => (mark === null ? [] : [mark.mean ?? 0]))
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values)
}

/** A row a case; of a long list those on which contestants differ most. */
export const byCase = ({ rules }: ReportModel, detail: ReportDetail): string => {
  const shown = rules.contestants
    .map((contestant, index) => ({ contestant, index }))
    .filter(({ contestant }) => contestant.skipped === null)
  if (shown.length === 0 || rules.cases.length === 0) return ""
  const all = rules.cases.map((testCase, row) => ({
    testCase,
    marks: shown.map(({ index }) => detail.mark(row, index))
  }))
  const rows =
    all.length <= casesShown
      ? all
      : all
          .map((one) => ({ ...one, spread: spread(one.marks) }))
          .toSorted((a, b) => b.spread - a.spread)
          .slice(0, casesShown)
  const left =
    rows.length === all.length
      ? ""
      : `${plural(rows.length, "case")} of ${count(all.length)}: those on which contestants differ most.`
  return section(
    "Results by case",
    left,
    table(
      [{ heading: "Case" }, ...shown.map(({ contestant }) => ({ heading: escape(contestant.label) }))],
      rows.map(({ marks, testCase }) => [escape(testCase.id), ...marks.map(markText)])
    ),
    "✓ right in every trial, ✗ wrong in every trial, a number is the mean score, ERR a call that failed, — not measured."
  )
}

/** The worst answers, with what was said and why it was wrong. */
export const mistakes = (detail: ReportDetail): string =>
  detail.mistakes.length === 0
    ? ""
    : section(
        "Where contestants went wrong",
        table(
          [
            { heading: "Contestant" },
            { heading: "Case" },
            { heading: "Score", align: "right" },
            { heading: "Answer" },
            { heading: "Why" }
          ],
          detail.mistakes.map(({ result, score }) => [
            escape(result.contestant),
            escape(result.caseId),
            means(score),
            escapeClipped(result.output ?? unknown, 120),
            escapeClipped(result.reason, 160)
          ])
        )
      )

/** Calls that failed. */
export const errors = (detail: ReportDetail): string =>
  detail.errors.length === 0
    ? ""
    : section(
        "Failed calls",
        table(
          [{ heading: "Contestant" }, { heading: "Case" }, { heading: "Trial", align: "right" }, { heading: "Error" }],
          detail.errors.map(({ caseId, contestant, error, trial }) => [
            escape(contestant),
            escape(caseId),
            count(trial),
            escapeClipped(error?.message ?? unknown, 200)
          ])
        )
      )
