/** A scenario as it was played, to be read like a conversation: who was asked what, what came back, how that was judged. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { ScenarioResult, SoftFault, TurnRecord } from "@agent-arena/core/scenario/model/Turn"
import { playOf } from "@agent-arena/core/scenario/view/ScenarioOfResult"
import { latency, plural, score, unknown, usd } from "../terminal/Format.ts"
import { type Line, type Segment, segment } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { prose, readable, section } from "./Document.ts"
import { joined } from "./Text.ts"

const gap = segment("  ")
const labelWidth = 11

/** Text behind its name, in a column of its own; nothing for an empty text. */
const labelled = (name: string, text: string, width: number, role: Role = "plain"): ReadonlyArray<Line> =>
  text === ""
    ? []
    : prose(text, Math.max(8, width - labelWidth), role).map((line, index) => [
        segment(fitText(index === 0 ? `   ${name}` : "", labelWidth), "muted"),
        ...line
      ])

const verdictOf = ({ error, verifyResult }: TurnRecord): Segment => {
  if (error !== null) return segment("! failed", "error")
  if (verifyResult === null) return segment("- not verified", "muted")
  return verifyResult ? segment("✓ passed", "pass") : segment("✗ not passed", "fail")
}

const headLine = (turn: TurnRecord): Line =>
  joined(
    [
      [segment(` ${turn.index + 1} `, "muted"), segment(turn.node, "title")],
      turn.visit > 0 ? [segment(`visit ${turn.visit + 1}`, "muted")] : [],
      [segment(turn.agent, "muted")],
      [verdictOf(turn)],
      turn.score === null ? [] : [segment(score(turn.score))],
      [segment(latency(turn.latencyMs), "muted")],
      [segment(usd(turn.costUsd), "muted")],
      turn.tries > 1 ? [segment(`${turn.tries} tries`, "warning")] : [],
      turn.source === "live" ? [] : [segment(`from ${turn.source}`, "reused")]
    ],
    gap
  )

/** What went along with the question: the strategy, and which turns the model saw of it. */
const handoverText = ({ given, handover, index, since }: TurnRecord): string => {
  if (handover === null) return ""
  const seen =
    since < index ? `, with the conversation from turn ${since + 1} on` : ", with nothing of the conversation"
  const more = given === null ? "" : `, after ${plural(given.length, "message")} of its own`
  return handover + seen + more
}

const judgedLines = (turn: TurnRecord, width: number): ReadonlyArray<Line> =>
  turn.scores.length < 2
    ? labelled("judged", turn.reason, width, "muted")
    : turn.scores.flatMap((one) =>
        labelled(
          "judged",
          `${one.scorer} ${score(one.score)}${one.reason === "" ? "" : `: ${one.reason}`}`,
          width,
          "muted"
        )
      )

const called = (calls: ReadonlyArray<unknown>): string => calls.map((call) => readable(call)).join("\n")

/** A line for each value, in as few words as it takes. */
const valuesText = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : (JSON.stringify(value) ?? unknown)}`)
    .join("\n")

const faultLines = (faults: ReadonlyArray<SoftFault>, width: number): ReadonlyArray<Line> =>
  faults.flatMap(({ field, message, where }) =>
    labelled("! fault", `${where}${field === "" ? "" : `, ${field}`}: ${message}`, width, "warning")
  )

const turnLines = (turn: TurnRecord, width: number): ReadonlyArray<Line> => [
  headLine(turn),
  ...labelled("handover", handoverText(turn), width, "muted"),
  ...labelled("system", turn.system ?? "", width, "muted"),
  ...labelled("asked", turn.question, width, "accent"),
  ...(turn.prompt === turn.question ? [] : labelled("sent", turn.prompt, width, "muted")),
  ...labelled("answered", turn.output === "" ? "(an empty answer)" : (turn.output ?? ""), width),
  ...labelled("tools", called(turn.toolCalls), width, "muted"),
  ...labelled("failed", turn.error ?? "", width, "error"),
  ...judgedLines(turn, width),
  ...labelled("parsed", valuesText(turn.parsed), width, "muted")
]

const outcomeText = (outcomes: ScenarioResult["outcomes"]): string =>
  Object.entries(outcomes)
    .map(
      ([name, value]) =>
        `${name} ${value === null ? unknown : typeof value === "boolean" ? (value ? "yes" : "no") : value}`
    )
    .join("\n")

/** What it came to: why it ended, its outcomes, and the state that its updates have left. */
const endLines = (play: ScenarioResult, width: number): ReadonlyArray<Line> => {
  const { accumulated, failure, limit, outcomes } = play
  const why =
    failure === null
      ? ""
      : `${failure.stage} of ${failure.node}, turn ${failure.turn + 1} (${failure.category}): ${failure.reason}`
  return [
    ...labelled("ended", limit === null ? "" : `by its limit of ${limit}`, width, "warning"),
    ...labelled("ended", why, width, "error"),
    ...labelled("outcomes", outcomeText(outcomes), width),
    ...labelled("state", valuesText(accumulated), width, "muted")
  ]
}

const statusText = ({ limit, status }: ScenarioResult): string =>
  `${status.replaceAll("_", " ")}${limit === null ? "" : ` (${limit})`}`

/** The conversation of a scenario, turn by turn, with faults where they happened; nothing for an ordinary cell. */
export const scenarioLines = (result: CallResult, width: number): ReadonlyArray<Line> => {
  const play = playOf(result)
  if (play === null) return []
  const faultsAt = (turn: number) =>
    faultLines(
      play.softFaults.filter((fault) => fault.turn === turn),
      width
    )
  const turns = play.turns.flatMap((turn) => [...turnLines(turn, width), ...faultsAt(turn.index + 1), []])
  const lines = [...faultsAt(0), ...turns, ...endLines(play, width)]
  return section("Turns", `${statusText(play)} · ${play.path.join(" → ")}`, lines, width)
}
