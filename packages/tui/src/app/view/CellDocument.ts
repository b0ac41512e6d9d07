/** One cell, whole: what was asked, what came back, how it was judged, what it took. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { Message } from "@agent-arena/core/domain/Message"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import { baseState, Running, stateGlyph, stateRole, stateWord } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, stateOf } from "../run/RunModel.ts"
import type { CellScreen } from "../state/AppState.ts"
import { latency, score, usd } from "../terminal/Format.ts"
import { beside, fitBlock, type Line, line, type Segment, segment, spread } from "../terminal/Line.ts"
import { attemptLines, numberLines, stepLines } from "./CellNumbers.ts"
import { diffWords, type Piece } from "./Diff.ts"
import { type Document, prose, readable, section } from "./Document.ts"
import { joined } from "./Text.ts"
import { scenarioLines } from "./TurnLines.ts"

/** From this width on, numbers stand beside the texts. */
const twoColumns = 140

const titleLines = (
  run: OpenRun,
  screen: CellScreen,
  result: CallResult | null,
  width: number
): ReadonlyArray<Line> => {
  const { model } = run
  const state = stateOf(model, cellIndex(model, screen.caseIndex, screen.contestant, screen.trial))
  const contestant = model.contestants[screen.contestant]
  const left: Line = [
    segment(` ${model.caseNames[screen.caseIndex] ?? ""}`, "title"),
    segment(" › ", "muted"),
    segment(contestant?.label ?? "", "strong"),
    ...(model.trials > 1
      ? [
          segment(
            width < 60 ? `  ${screen.trial}/${model.trials}` : `  trial ${screen.trial} of ${model.trials}`,
            "muted"
          )
        ]
      : [])
  ]
  const all = result === null ? [] : [score(result.score), latency(result.latencyMs), usd(result.costUsd)]
  // Where there is no room, the names come first: the figures stand below as well.
  const figures = all.slice(0, width < 50 ? 0 : width < 70 ? 1 : 3)
  const right = joined(
    [
      [segment(`${stateGlyph(state)} ${stateWord(state)}`, stateRole(state))],
      ...figures.map((text): Line => [segment(text)])
    ],
    segment("  ")
  )
  return [spread(left, [...right, segment(" ")], width), line("─".repeat(width), "rule")]
}

const errorLines = (result: CallResult, width: number): ReadonlyArray<Line> => {
  const { error } = result
  if (error === null) return []
  const kind = [error.kind, error.reason, error.status === null ? null : `status ${error.status}`, error.source]
  const named = kind.filter((part) => part !== null).join(" · ")
  return section("Error", named, prose(error.message, width, "error"), width)
}

const pieceSegment = (piece: Piece): Segment => {
  if (piece.kind === "same") return segment(piece.text, "muted")
  return piece.kind === "missing" ? segment(`[-${piece.text}-]`, "removed") : segment(`{+${piece.text}+}`, "added")
}

const lineLength = (pieces: ReadonlyArray<Segment>): number => pieces.reduce((sum, piece) => sum + piece.width, 0)

/** Pieces laid out in lines; a piece with line breaks is cut at them. */
const flow = (pieces: ReadonlyArray<Piece>, width: number): ReadonlyArray<Line> => {
  const lines: Array<Array<Segment>> = [[segment(" ")]]
  for (const piece of pieces) {
    piece.text.split("\n").forEach((text, index) => {
      if (index > 0) lines.push([segment(" ")])
      for (const word of text.split(/(?<= )/)) {
        if (word === "") continue
        const part = pieceSegment({ kind: piece.kind, text: word })
        const current = lines[lines.length - 1] ?? []
        if (lineLength(current) + part.width > width - 1 && current.length > 1) lines.push([segment(" "), part])
        else current.push(part)
      }
    })
  }
  return lines
}

const expectedTexts = (testCase: TestCase | null): ReadonlyArray<string> => {
  if (testCase === null || testCase.reference === undefined) return []
  const { reference } = testCase
  return Array.isArray(reference) ? reference.map(readable) : [readable(reference)]
}

const diffLines = (expected: ReadonlyArray<string>, output: string, width: number): ReadonlyArray<Line> => {
  const [only] = expected
  if (expected.length !== 1 || only === undefined || only === output || output === "") return []
  if (only.length > 20_000 || output.length > 20_000) return []
  const pieces = diffWords(only, output)
  // Without a common word there is nothing to compare.
  if (pieces === null || !pieces.some((piece) => piece.kind === "same" && piece.text.trim() !== "")) return []
  return section("Difference", "[-missing-] {+extra+}", flow(pieces, width), width)
}

const messageLines = (message: Message, width: number): ReadonlyArray<Line> => {
  const { content } = message
  const texts =
    typeof content === "string"
      ? [content]
      : content.map((part) => (part.type === "text" ? part.text : `[${part.type} ${part.path ?? part.url ?? ""}]`))
  return [line(` ${message.role}`, "accent"), ...texts.flatMap((text) => prose(text, width))]
}

const requestLines = (run: OpenRun, testCase: TestCase | null, width: number): ReadonlyArray<Line> => {
  if (testCase === null) {
    return section("Request", "", [line(" The project does not have this case any more.", "muted")], width)
  }
  const system = testCase.system === null ? [] : [line(" system", "accent"), ...prose(testCase.system, width)]
  const messages = testCase.messages.flatMap((message) => messageLines(message, width))
  // The store keeps answers, not questions: those of an older run may have been others.
  const now = run.source.facts.kind === "past" ? " · as the project has it now" : ""
  return section("Request", testCase.tags.join(" ") + now, [...system, ...messages], width)
}

const scoreLines = (result: CallResult, width: number): ReadonlyArray<Line> => {
  const lines = result.scores.flatMap((one): ReadonlyArray<Line> => {
    const verdict = one.passed === null ? "not graded" : one.passed ? "passed" : "failed"
    const role = one.passed === null ? "unscored" : one.passed ? "pass" : "fail"
    const head: Line = [
      segment(` ${one.scorer}`, "strong"),
      segment(`  ${score(one.score)}  `),
      segment(verdict, role),
      ...(result.scores.length > 1 ? [segment(`  weight ${one.weight}`, "muted")] : [])
    ]
    const details = Object.entries(one.detail).flatMap(([name, value]) => [
      line(`   ${name}`, "muted"),
      ...prose(readable(value), width - 4).map((own): Line => [segment("   "), ...own])
    ])
    return [head, ...(one.reason === "" ? [] : prose(one.reason, width)), ...details]
  })
  return section("Scores", "", lines, width)
}

const textColumn = (
  run: OpenRun,
  result: CallResult,
  testCase: TestCase | null,
  width: number
): ReadonlyArray<Line> => {
  const output = result.output ?? ""
  const expected = expectedTexts(testCase)
  const none = [line(" No output.", "muted")]
  return [
    ...errorLines(result, width),
    ...scenarioLines(result, width),
    ...section("Output", "", result.output === null ? none : prose(output, width), width),
    ...section(
      "Expected",
      expected.length > 1 ? "any of" : "",
      expected.flatMap((text) => prose(text, width)),
      width
    ),
    ...diffLines(expected, output, width),
    ...section(
      "Before post_process",
      "",
      result.originalOutput === null ? [] : prose(result.originalOutput, width),
      width
    ),
    ...requestLines(run, testCase, width),
    ...section("Reasoning", "", result.reasoning === null ? [] : prose(result.reasoning, width, "muted"), width)
  ]
}

const rawLines = (result: CallResult, width: number): ReadonlyArray<Line> =>
  section("Record", "as stored", prose(readable(result), width, "muted"), width)

const numberColumn = (result: CallResult, width: number): ReadonlyArray<Line> => [
  ...scoreLines(result, width),
  ...section("Numbers", "", numberLines(result), width),
  ...section("Attempts", "", attemptLines(result, width), width),
  ...section("Inner calls", "", stepLines(result, width), width)
]

const twoColumnBody = (
  run: OpenRun,
  result: CallResult,
  testCase: TestCase | null,
  width: number
): ReadonlyArray<Line> => {
  const left = Math.floor((width - 2) * 0.6)
  const right = width - 2 - left
  const texts = textColumn(run, result, testCase, left)
  const numbers = numberColumn(result, right)
  const height = Math.max(texts.length, numbers.length)
  const both = beside(fitBlock(texts, left, height), segment("│", "rule"), fitBlock(numbers, right, height))
  return [...both, ...rawLines(result, width - 1)]
}

const waitingBody = (run: OpenRun, screen: CellScreen, width: number): ReadonlyArray<Line> => {
  const { model } = run
  const state = stateOf(model, cellIndex(model, screen.caseIndex, screen.contestant, screen.trial))
  const skipped = model.contestants[screen.contestant]?.skipped ?? null
  const words =
    skipped !== null
      ? `Skipped: ${skipped}`
      : baseState(state) === Running
        ? "Running. The record shows here when it is there."
        : "No record yet."
  const testCase = run.source.testCase(model.caseIds[screen.caseIndex] ?? "")
  const expected = expectedTexts(testCase).flatMap((text) => prose(text, width))
  return [
    line(` ${words}`, "muted"),
    [],
    ...requestLines(run, testCase, width),
    ...section("Expected", "", expected, width)
  ]
}

interface LaidOut {
  readonly width: number
  readonly whole: boolean
  readonly body: ReadonlyArray<Line>
}

const bodies = new WeakMap<CallResult, LaidOut>()

/** Laid out once for each record and width: outputs may be long, and scrolling must not lay them out again. */
const resultBody = (
  run: OpenRun,
  screen: CellScreen,
  result: CallResult,
  width: number,
  whole: boolean
): ReadonlyArray<Line> => {
  const known = bodies.get(result)
  if (known?.width === width && known.whole === whole) return known.body
  const testCase = run.source.testCase(run.model.caseIds[screen.caseIndex] ?? "")
  const inner = width - 1
  const body =
    width >= twoColumns
      ? twoColumnBody(run, result, testCase, width)
      : [
          ...textColumn(run, result, testCase, inner),
          ...numberColumn(result, inner),
          ...(whole ? rawLines(result, inner) : [])
        ]
  bodies.set(result, { width, whole, body })
  return body
}

/** `whole` adds the record as it is stored, which says everything once more for those who look for a detail. */
export const cellDocument = (run: OpenRun, screen: CellScreen, width: number, whole = true): Document => {
  const loaded = run.results.get(cellIndex(run.model, screen.caseIndex, screen.contestant, screen.trial))
  const result = loaded?._tag === "Ready" ? loaded.result : null
  const title = titleLines(run, screen, result, width)
  if (loaded?._tag === "Refused") return { title, body: [line(` ${loaded.message}`, "error")] }
  if (result === null) return { title, body: waitingBody(run, screen, width - 1) }
  return { title, body: resultBody(run, screen, result, width, whole) }
}
