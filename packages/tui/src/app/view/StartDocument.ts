/** The start screen: what would run, who is ready, what it is expected to cost; or what is wrong with the project. */
import { format } from "@agent-arena/core/domain/SourcePosition"
import type { Candidate, ProjectFacts, ProjectProblems, StartChoice } from "../run/ArenaSource.ts"
import type { StartScreen, World } from "../state/AppState.ts"
import { outlook, type StartRow, startRows } from "../state/StartRows.ts"
import { duration, plural, unknown, usd } from "../terminal/Format.ts"
import { fitLine, type Line, line, type Segment, segment, selectLine } from "../terminal/Line.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { type Document, facts as factLines, prose, section } from "./Document.ts"
import { floorText } from "./Floors.ts"
import { joined } from "./Text.ts"

const box = (chosen: boolean): Segment => segment(chosen ? "[✓] " : "[ ] ", chosen ? "pass" : "muted")

const priceText = ({ priced, expectedUsd }: Candidate): string =>
  priced === false ? "no price" : expectedUsd === null ? "price unknown" : `≈ ${usd(expectedUsd)} a call`

const candidateLine = (candidate: Candidate, choice: StartChoice): Line => {
  const chosen = choice.contestants.includes(candidate.key)
  const label = fitText(candidate.label, 22)
  if (candidate.skipped !== null) {
    return [
      segment("  -  ", "muted"),
      segment(`${label} `, "muted"),
      segment(`skipped: ${candidate.skipped}`, "warning")
    ]
  }
  return [
    segment(" "),
    box(chosen),
    segment(`${label} `, chosen ? "strong" : "muted"),
    segment(fitText(priceText(candidate), 19), candidate.priced === false ? "warning" : "plain"),
    segment(`${candidate.model} · ${candidate.provider}`, "muted")
  ]
}

const numberLine = (name: string, value: number, own: number): Line => [
  segment(` ${fitText(name, 16)}`),
  segment("‹ ", "key"),
  segment(String(value), "strong"),
  segment(" ›", "key"),
  segment(value === own ? "" : `   the project says ${own}`, "muted")
]

const rowLine = (row: StartRow, facts: ProjectFacts, choice: StartChoice): Line => {
  switch (row._tag) {
    case "Contestant":
      return candidateLine(row.candidate, choice)
    case "Trials":
      return numberLine("trials", choice.trials, facts.trials)
    case "Concurrency":
      return numberLine("concurrency", choice.concurrency, facts.concurrency)
    case "Tag":
      return [
        segment(" "),
        box(choice.tags.includes(row.tag)),
        segment(fitText(row.tag, 24)),
        segment(` ${plural(row.cases, "case")}`, "muted")
      ]
  }
}

const limitText = (facts: ProjectFacts): string => {
  const { requestTimeoutS, cellTimeoutS, maxWallS } = facts.limits
  const named = (name: string, seconds: number | null) =>
    seconds === null || seconds === 0 ? [] : [`${name} ${duration(seconds * 1000)}`]
  return [...named("request", requestTimeoutS), ...named("cell", cellTimeoutS), ...named("run", maxWallS)].join(" · ")
}

const budgetText = (facts: ProjectFacts): string => {
  const { maxRunUsd, maxModelUsd, onExceed } = facts.budgets
  const parts = [
    ...(maxRunUsd === null ? [] : [`run ${usd(maxRunUsd)}`]),
    ...(maxModelUsd === null ? [] : [`contestant ${usd(maxModelUsd)}`])
  ]
  return parts.length === 0 ? "none" : `${parts.join(" · ")} (${onExceed === "stop" ? "stops" : "warns"})`
}

const estimateText = (ahead: ReturnType<typeof outlook>): string => {
  if (ahead.cells === 0) return `${unknown}  nothing is chosen that could run`
  if (ahead.estimateUsd === null) return `${unknown}  not every contestant has a price`
  return `≈ ${usd(ahead.estimateUsd)}, a forecast`
}

const summaryLines = (facts: ProjectFacts, choice: StartChoice): ReadonlyArray<Line> => {
  const ahead = outlook(facts, choice)
  const chosen = choice.contestants.length
  const cells: Line = [
    segment(" "),
    segment(plural(ahead.cells, "cell"), "title"),
    segment(
      `  ${plural(chosen, "contestant")} × ${plural(ahead.cases, "case")} × ${plural(choice.trials, "trial")}`,
      "muted"
    )
  ]
  const unpriced = ahead.unpriced.length === 0 ? "" : `${ahead.unpriced.join(", ")}: cost will not be ranked`
  return [
    cells,
    ...factLines(
      [
        ["cost", estimateText(ahead)],
        ["assuming", ahead.estimateUsd === null ? "" : facts.forecast, "muted"],
        ["no price", unpriced, "warning"],
        ["budget", budgetText(facts)],
        ["limits", limitText(facts)],
        ["floors", floorText(facts.constraints)]
      ],
      9
    ),
    []
  ]
}

const heads: Readonly<Record<StartRow["_tag"], string>> = {
  Contestant: "Contestants",
  Trials: "Numbers",
  Concurrency: "Numbers",
  Tag: "Only cases with a tag"
}

/** Body lines, and the index of the one under the cursor. */
const rowsWithHeads = (facts: ProjectFacts, screen: StartScreen, width: number) => {
  const lines: Array<Line> = []
  let at = 0
  let head = ""
  startRows(facts).forEach((row, index) => {
    if (heads[row._tag] !== head) {
      if (head !== "") lines.push([])
      head = heads[row._tag]
      lines.push(line(` ${head}`, "accent"))
    }
    if (index === screen.row) at = lines.length
    const own = rowLine(row, facts, screen.choice)
    lines.push(index === screen.row ? selectLine(own, width) : fitLine(own, width))
  })
  return { lines, at }
}

const warningLines = (facts: ProjectFacts, width: number): ReadonlyArray<Line> =>
  facts.warnings.flatMap((issue) => prose(`${format(issue.position)}  ${issue.message}`, width, "warning"))

/** The document, and how far it must be scrolled for the cursor to show. */
export interface StartDocument extends Document {
  readonly cursor: number
}

const readyDocument = (facts: ProjectFacts, screen: StartScreen, width: number): StartDocument => {
  const inner = width - 1
  const title: ReadonlyArray<Line> = [
    joined([[segment(` ${facts.name}`, "title")], [segment(facts.description, "muted")]], segment("  ")),
    line("─".repeat(width), "rule")
  ]
  const summary = summaryLines(facts, screen.choice)
  const { lines, at } = rowsWithHeads(facts, screen, inner)
  const warnings = section("Warnings", "", warningLines(facts, inner), inner)
  return { title: [...title, ...summary], body: [...lines, [], ...warnings], cursor: at }
}

const problemsDocument = (problems: ProjectProblems, width: number): StartDocument => {
  const inner = width - 1
  const count = plural(problems.issues.length, "problem")
  const body = problems.issues.flatMap(
    (issue): ReadonlyArray<Line> => [
      line(` ${format(issue.position)}`, "accent"),
      ...prose(issue.message, inner),
      ...(issue.suggestion === null ? [] : prose(`→ ${issue.suggestion}`, inner, "pass")),
      []
    ]
  )
  return {
    title: [
      [
        segment(` ${count}`, "fail"),
        segment(width < 60 ? "  nothing can run" : "  the project cannot run as it is", "strong")
      ],
      line(
        width < 66
          ? " Read again whenever a file is saved."
          : " It is read again as soon as a file is saved; R reads it now.",
        "muted"
      ),
      line("─".repeat(width), "rule")
    ],
    body,
    cursor: 0
  }
}

export const startDocument = (screen: StartScreen, world: World, width: number): StartDocument => {
  const { project } = world
  if (project._tag === "Ready") return readyDocument(project.facts, screen, width)
  if (project._tag === "ProjectProblems") return problemsDocument(project, width)
  return { title: [], body: [[], line("  Reading the project…", "muted")], cursor: 0 }
}
