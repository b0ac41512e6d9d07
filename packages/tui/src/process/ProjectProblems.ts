/** What is wrong with a project, as it is told in a terminal: a mistake that hundreds of cases share is told briefly. */
import { ProjectError, type ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { plural } from "@agent-arena/core/report/Figures"

/** Cases that are named for one and the same mistake. */
const namedCases = 3

/** Lines in all; a screen holds no more. */
const mostLines = 40

/** The case that an issue is about, and what it shares with those of other cases. */
const causeOf = ({ message, position }: ProjectIssue): { readonly ofCase: boolean; readonly cause: string } => {
  const shared = message.replace(/^case ".*?": /, "")
  return { ofCase: shared !== message, cause: `${position.file}\n${shared}` }
}

/** The first cases of each mistake, and how many more there are where the last of them stands. */
const folded = (issues: ReadonlyArray<ProjectIssue>): ReadonlyArray<ProjectIssue> => {
  const totals = new Map<string, number>()
  const causes = issues.map(causeOf)
  for (const { cause } of causes) totals.set(cause, (totals.get(cause) ?? 0) + 1)
  const told = new Map<string, number>()
  return issues.flatMap((issue, index) => {
    const { cause, ofCase } = causes[index] ?? causeOf(issue)
    const before = told.get(cause) ?? 0
    told.set(cause, before + 1)
    if (!ofCase || before < namedCases) return [issue]
    const more = (totals.get(cause) ?? 0) - namedCases
    if (before > namedCases) return []
    const position = { file: issue.position.file, line: null, column: null }
    return [{ position, message: `the same in ${plural(more, "further case")}`, suggestion: null }]
  })
}

/** One line a problem. */
export const problemLines = ({ issues }: ProjectError): string => {
  const [first, ...rest] = folded(issues)
  if (first === undefined) return ""
  const shown = rest.slice(0, mostLines - 1)
  const { message } = new ProjectError({ issues: [first, ...shown] })
  const more = rest.length - shown.length
  return more > 0 ? `${message}\n… and ${more} more; --json lists all of them` : message
}

/** `the project has 2 problems`, or the command line, when flags alone are wrong. */
export const problemCount = ({ issues }: ProjectError): string => {
  const where = issues.every(({ position }) => position.file.startsWith("--")) ? "the command line" : "the project"
  return `${where} has ${plural(issues.length, "problem")}`
}
