/** What the run came to: the verdict first, then everything it rests on. */
import type { Comparison, Leaderboard } from "@agent-arena/core/domain/Leaderboard"
import { columnFormat } from "@agent-arena/core/report/Figures"
import type { OpenRun } from "../run/OpenRun.ts"
import type { ResultScreen } from "../state/AppState.ts"
import { integer, percent } from "../terminal/Format.ts"
import { beside, fitBlock, type Line, line, type Segment, segment, spread } from "../terminal/Line.ts"
import { asSelected, type Role, styleOf } from "../terminal/Style.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { type Document, prose, section } from "./Document.ts"
import { leaderboardLines } from "./Leaderboard.ts"
import { standings } from "./LeaderboardRows.ts"
import { plotLines } from "./ParetoLines.ts"
import { bar } from "./Text.ts"

/** The leaderboard that shows: under the weights tried out, else the run's own. */
export const shownLeaderboard = (run: OpenRun, screen: ResultScreen): Leaderboard | null =>
  screen.weights === null ? run.leaderboard : (run.whatIf ?? run.leaderboard)

/** Weights as they are being tried, by metric in the order of the config; they need not sum to 1. */
export const triedWeights = (run: OpenRun, screen: ResultScreen): ReadonlyArray<readonly [string, number]> =>
  Object.entries(screen.weights ?? run.source.facts.rules.metrics.weights)

const titleLines = (run: OpenRun, width: number): ReadonlyArray<Line> => {
  const { model } = run
  const state = run.final ? "final" : model.phase === "finished" ? "not ranked with intervals" : "provisional"
  const left: Line = [segment(` ${model.project}`, "title"), segment(`  result, ${state}`, "muted")]
  return [spread(left, width < 60 ? [] : [segment(`${model.id} `, "faint")], width), line("─".repeat(width), "rule")]
}

const verdictRole = (board: Leaderboard): Role => {
  if (board.verdict._tag === "Winner") return "pass"
  return board.verdict._tag === "Unresolved" ? "warning" : "fail"
}

const verdictWord: Readonly<Record<Leaderboard["verdict"]["_tag"], string>> = {
  Winner: "Winner",
  Unresolved: "Unresolved",
  NoWinner: "No winner"
}

const verdictLines = (run: OpenRun, board: Leaderboard | null, width: number): ReadonlyArray<Line> => {
  if (board === null) return [line(" Nothing can be ranked yet.", "muted"), []]
  const tried = board === run.whatIf
  const ended = run.model.phase === "finished"
  // A quick ranking of an ended run has no verdict of its own.
  if (tried && ended && !run.whatIfFull) return [line(" ◇ Ranking…", "muted"), [], []]
  const { verdict } = board
  const head = tried ? "with these weights" : run.final ? "" : "so far"
  const role = verdictRole(board)
  const winner = verdict._tag === "Winner" ? board.entries.find(({ key }) => key === verdict.winner)?.label : undefined
  const title: Line = [
    segment(verdict._tag === "Winner" ? " ◆ " : " ◇ ", role),
    segment(winner === undefined ? verdictWord[verdict._tag] : `${verdictWord[verdict._tag]}: ${winner}`, role),
    segment(head === "" ? "" : `  (${head})`, "muted")
  ]
  return [title, ...prose(verdict.sentence, width, "strong"), []]
}

const weightLines = (run: OpenRun, screen: ResultScreen): ReadonlyArray<Line> => {
  const weights = triedWeights(run, screen)
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return weights.map(([name, weight], index) => {
    const share = total === 0 ? 0 : weight / total
    const chosen = index === screen.metric
    const style = chosen ? asSelected(styleOf("strong")) : styleOf("plain")
    return [
      segment(chosen ? "▸" : " ", "accent"),
      segment(fitText(name, 16), style),
      segment(" "),
      ...bar(share, 24, chosen ? "accent" : "bar"),
      segment(` ${fitText(percent(share), 5, "right")}`)
    ]
  })
}

/** How ranks move under the weights that are tried. */
const movedLines = (run: OpenRun, board: Leaderboard | null): ReadonlyArray<Line> => {
  if (board === null || run.leaderboard === null || board === run.leaderboard) return []
  const before = new Map(run.leaderboard.entries.map((entry) => [entry.key, entry.rank]))
  return board.entries.flatMap((entry): ReadonlyArray<Line> => {
    const old = before.get(entry.key) ?? null
    if (entry.rank === null || old === null || entry.rank === old) return []
    const up = entry.rank < old
    return [
      [
        segment(up ? " ↑ " : " ↓ ", up ? "pass" : "fail"),
        segment(entry.label),
        segment(`  from ${old} to ${entry.rank}`, "muted")
      ]
    ]
  })
}

const signedInterval = (comparison: Comparison): string => {
  const { composite } = comparison
  if (composite === null) return "no interval"
  const sign = (value: number) => `${value >= 0 ? "+" : ""}${value.toFixed(3)}`
  return `${sign(composite.point)}  [${sign(composite.low)}, ${sign(composite.high)}]`
}

const comparisonLines = (board: Leaderboard, width: number): ReadonlyArray<Line> => {
  const label = new Map(board.entries.map((entry) => [entry.key, entry.label]))
  return board.comparisons.flatMap((one): ReadonlyArray<Line> => {
    const head: Line = [
      segment(` ${label.get(one.leader) ?? one.leader} – ${label.get(one.other) ?? one.other}  `),
      segment(signedInterval(one), one.separated ? "strong" : "muted"),
      segment(one.separated ? "  separated" : "  not separated", one.separated ? "pass" : "warning")
    ]
    const needed = one.casesNeeded === null ? "" : `; about ${integer(one.casesNeeded)} cases would tell`
    const p = one.pValue === null ? "" : `, p ${one.pValue.toFixed(3)}`
    const detail = `better on ${one.wins}, worse on ${one.losses}, equal on ${one.ties} of ${one.sharedCases} cases${p}${needed}`
    const differing = one.discriminating.map(({ caseId }) => caseId).join(", ")
    return [
      head,
      ...prose(`  ${detail}`, width, "muted"),
      ...(differing === "" ? [] : prose(`  most different on ${differing}`, width, "muted"))
    ]
  })
}

const sideBySide = (
  left: ReadonlyArray<Line>,
  right: ReadonlyArray<Line>,
  leftWidth: number,
  width: number
): ReadonlyArray<Line> => {
  const height = Math.max(left.length, right.length)
  return beside(fitBlock(left, leftWidth, height), segment("  "), fitBlock(right, width - leftWidth - 2, height))
}

const trialLines = (run: OpenRun, screen: ResultScreen, board: Leaderboard | null, width: number) => {
  const tried = screen.weights !== null
  return section(
    "Weights",
    tried ? "tried out, 0 resets" : "+ and - try others",
    [...weightLines(run, screen), ...movedLines(run, board)],
    width
  )
}

const accuracyInterval = (board: Leaderboard): ReadonlyArray<Line> =>
  board.entries.flatMap((entry): ReadonlyArray<Line> => {
    const { accuracyInterval: own } = entry
    if (own === null) return []
    const text = columnFormat("0-1")
    const parts: ReadonlyArray<Segment> = [
      segment(` ${fitText(entry.label, 24)} `),
      segment(`${text(own.point)}  `),
      segment(`[${text(own.low)}, ${text(own.high)}] at ${percent(own.confidence)}`, "muted")
    ]
    return [parts]
  })

export const resultDocument = (run: OpenRun, screen: ResultScreen, width: number): Document => {
  const inner = width - 1
  const board = shownLeaderboard(run, screen)
  const half = Math.floor((inner - 2) / 2)
  const wide = inner >= 110
  const picture = section("Pareto", "", plotLines(board, wide ? half : inner), wide ? half : inner)
  const weights = trialLines(run, screen, board, wide ? inner - half - 2 : inner)
  const lower = wide ? sideBySide(picture, weights, half, inner) : [...weights, ...picture]
  const tentative = board === run.whatIf && !run.whatIfFull
  const notes = (tentative ? [] : (board?.notes ?? [])).flatMap((note) => prose(`· ${note}`, inner, "muted"))
  return {
    title: titleLines(run, width),
    body: [
      ...verdictLines(run, board, inner),
      ...section("Leaderboard", "", leaderboardLines(standings(run, board), inner, screen.place), inner),
      ...lower,
      ...section(
        "Comparisons",
        "score of the leader minus the other's",
        board === null ? [] : comparisonLines(board, inner),
        inner
      ),
      ...section("Accuracy", "", board === null ? [] : accuracyInterval(board), inner),
      ...section("Notes", "", notes, inner)
    ]
  }
}
