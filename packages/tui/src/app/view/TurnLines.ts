import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { TurnRecord } from "@agent-arena/core/scenario/model/Turn"
import { playOf } from "@agent-arena/core/scenario/view/ScenarioOfResult"
import { latency, usd } from "../terminal/Format.ts"
import { type Line, line, segment } from "../terminal/Line.ts"
import { prose, readable, section } from "./Document.ts"

const verdictOf = ({ error, verifyResult }: TurnRecord) => {
  if (error !== null) return segment("failed", "error")
  if (verifyResult === null) return segment("not verified", "muted")
  return verifyResult ? segment("passed", "pass") : segment("not passed", "fail")
}

const turnLines = (turn: TurnRecord, width: number): ReadonlyArray<Line> => [
  [
    segment(` ${turn.index + 1} ${turn.node}`, "accent"),
    segment(`  ${turn.agent}  `, "muted"),
    verdictOf(turn),
    segment(`  ${latency(turn.latencyMs)}  ${usd(turn.costUsd)}`, "muted"),
    ...(turn.handover === null ? [] : [segment(`  ${turn.handover}`, "muted")]),
    ...(turn.source === "live" ? [] : [segment(`  from ${turn.source}`, "muted")])
  ],
  ...prose(turn.question, width, "muted"),
  ...(turn.output === null ? [] : prose(turn.output, width)),
  ...(turn.error === null ? [] : prose(turn.error, width, "error")),
  ...(turn.reason === "" ? [] : prose(turn.reason, width, "muted")),
  ...(Object.keys(turn.parsed).length === 0 ? [] : prose(readable(turn.parsed), width, "muted")),
  []
]

/** The conversation of a scenario, turn by turn; nothing for an ordinary cell. */
export const scenarioLines = (result: CallResult, width: number): ReadonlyArray<Line> => {
  const play = playOf(result)
  if (play === null) return []
  const faults = play.softFaults.map(({ message, where }) => line(` ! ${where}: ${message}`, "muted"))
  const lines = [...play.turns.flatMap((turn) => turnLines(turn, width)), ...faults]
  return section("Turns", `${play.status} · ${play.path.join(" → ")}`, lines, width)
}
