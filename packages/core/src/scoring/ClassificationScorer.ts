import { closest } from "../domain/DidYouMean.ts"
import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"
import { textAlternatives } from "./References.ts"
import { flag, textList } from "./ScorerParams.ts"
import { foldCase, foldTypography, normaliseAnswer, quote } from "./TextNormalisation.ts"
import { standsAlone } from "./WordBoundary.ts"

interface Label {
  readonly written: string
  /** Folded, with spaces, hyphens and underscores as one space. */
  readonly form: string
}

const separators = /[\s\-_]+/g

const joinWords = (text: string): string => text.replace(separators, " ").trim()

const searchable = (text: string, caseSensitive: boolean): string => {
  const folded = foldTypography(text)
  return joinWords(caseSensitive ? folded : foldCase(folded))
}

const wholeForm = (text: string, caseSensitive: boolean): string =>
  joinWords(normaliseAnswer(text, { caseSensitive, stripPunctuation: true, collapseWhitespace: true }))

/** Labels that occur in a text outside of longer labels, longest first. Linear in the text for each label. */
const mentioned = (text: string, labels: ReadonlyArray<Label>): ReadonlyArray<Label> => {
  const covered = new Uint8Array(text.length)
  return labels.filter((label) => {
    let found = false
    let at = text.indexOf(label.form)
    while (at !== -1) {
      const end = at + label.form.length
      const free = covered[at] === 0 && covered[end - 1] === 0 && standsAlone(text, at, end)
      if (free) {
        covered.fill(1, at, end)
        found = true
      }
      at = text.indexOf(label.form, free ? end : at + 1)
    }
    return found
  })
}

const listed = (labels: ReadonlyArray<Label>): string => labels.map((label) => quote(label.written)).join(", ")

const readLabels = (written: ReadonlyArray<string>, caseSensitive: boolean, problem: (text: string) => void) => {
  const byForm = new Map<string, Label>()
  if (written.length === 0) problem('param "labels" is missing: list the labels to choose from')
  for (const text of written) {
    const form = searchable(text, caseSensitive)
    const same = byForm.get(form)
    if (form === "") problem('param "labels": a label must not be empty')
    else if (same !== undefined) problem(`labels ${quote(same.written)} and ${quote(text)} cannot be told apart`)
    else byForm.set(form, { written: text, form })
  }
  return byForm
}

/** Labels by the form an answer has when it is nothing but that label; forms that two labels share are left out. */
const uniqueAnswers = (labels: ReadonlyArray<Label>, caseSensitive: boolean): ReadonlyMap<string, Label> => {
  const byAnswer = Map.groupBy(labels, (label) => wholeForm(label.written, caseSensitive))
  return new Map(
    [...byAnswer].flatMap(([form, [only, ...others]]) => (only && others.length === 0 ? [[form, only] as const] : []))
  )
}

/** `classification`: the one label that the answer names is the right one. */
export const classification = define({
  name: "classification",
  description: "The answer is, or mentions exactly one of, the labels, and it is the right one.",
  requiresReference: true,
  params: {
    labels: textList("The labels to choose from; spaces, hyphens and underscores in them are interchangeable."),
    case_sensitive: flag(false, "Whether upper and lower case differ; for labels such as A, B, C.")
  },
  prepare: ({ options, reference, problem }) => {
    const byForm = readLabels(options.labels, options.case_sensitive, problem)
    const labels = [...byForm.values()].sort((a, b) => b.form.length - a.form.length)
    const right = new Set<Label>()
    for (const text of textAlternatives(reference, problem)) {
      const label = byForm.get(searchable(text, options.case_sensitive))
      if (label !== undefined) right.add(label)
      else if (labels.length > 0) {
        const near = closest(text, options.labels)
        problem(
          `reference ${quote(text)} is not one of the labels${near === null ? "" : ` (did you mean ${quote(near)}?)`}`
        )
      }
    }
    const byAnswer = uniqueAnswers(labels, options.case_sensitive)

    const judged = (predicted: Label) => {
      const detail = { predicted: predicted.written }
      if (right.has(predicted)) return Score.make(1, { detail })
      return Score.make(0, { reason: `expected ${listed([...right])}; got ${quote(predicted.written)}`, detail })
    }
    return (output) => {
      const text = searchable(output, options.case_sensitive)
      const whole = byForm.get(text) ?? byAnswer.get(wholeForm(output, options.case_sensitive))
      if (whole !== undefined) return judged(whole)
      const found = mentioned(text, labels)
      const [only, ...others] = found
      if (only === undefined) return Score.make(0, { reason: `no label is mentioned in ${quote(output.trim())}` })
      if (others.length === 0) return judged(only)
      return Score.make(0, {
        reason: `ambiguous: the answer mentions ${listed(found)}`,
        detail: { mentioned: found.map((label) => label.written) }
      })
    }
  }
})
