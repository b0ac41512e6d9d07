/** A play as lines for a terminal. */
import type { ScenarioResult, TurnRecord } from "../model/Turn.ts"
import { sanitiseLine } from "./SafeText.ts"

const verdict = (turn: TurnRecord): string => {
  if (turn.error !== null) return "failed"
  return turn.verifyResult === null ? "not verified" : turn.verifyResult ? "passed" : "not passed"
}

const block = (label: string, text: string): ReadonlyArray<string> =>
  text
    .split(/\r\n|\n|\r/)
    .map((line, index) => `  ${index === 0 ? label : " ".repeat(label.length)} ${sanitiseLine(line)}`)

const shown = (value: unknown): string =>
  sanitiseLine(typeof value === "string" ? value : (JSON.stringify(value) ?? "—"))

const turnLines = (turn: TurnRecord): ReadonlyArray<string> => [
  sanitiseLine(
    `${turn.index}  ${turn.node}  ${verdict(turn)}${turn.reason === "" ? "" : ` (${turn.reason})`}${turn.source === "live" ? "" : `  from ${turn.source}`}`
  ),
  ...block("?", turn.question),
  ...(turn.output === null ? [] : block("!", turn.output)),
  ...(turn.error === null ? [] : block("✗", turn.error)),
  ...Object.entries(turn.parsed).map(([name, value]) => `    ${sanitiseLine(name)} = ${shown(value)}`)
]

const valueText = (value: boolean | number | null): string => (value === null ? "not assessed" : String(value))

/** The turns of a play with their verdicts, then its outcomes, state and soft faults. */
export const transcriptText = (result: ScenarioResult): string => {
  const { accumulated, failure, limit, outcomes, path, score, softFaults, status, turns } = result
  return [
    sanitiseLine(`${result.scenario}: ${status}${limit === null ? "" : ` (${limit})`}  ${path.join(" -> ")}`),
    "",
    ...turns.flatMap(turnLines),
    "",
    ...Object.entries(outcomes).map(([name, value]) => sanitiseLine(`${name} = ${valueText(value)}`)),
    `score = ${score === null ? "—" : score}`,
    ...Object.entries(accumulated).map(([name, value]) => `state ${sanitiseLine(name)} = ${shown(value)}`),
    ...softFaults.map(({ field, message, where }) =>
      sanitiseLine(`! ${where}${field === "" ? "" : ` (${field})`}: ${message}`)
    ),
    ...(failure === null
      ? []
      : [
          sanitiseLine(
            `✗ turn ${failure.turn} (${failure.node}), ${failure.stage}, ${failure.category}: ${failure.reason}`
          )
        ]),
    ""
  ].join("\n")
}
