import { ProjectError, type ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { problemCount, problemLines } from "@agent-arena/tui/src/process/ProjectProblems.ts"
import { assert, describe, it } from "@effect/vitest"

const issue = (file: string, line: number | null, message: string): ProjectIssue => ({
  position: { file, line, column: line === null ? null : 1 },
  message,
  suggestion: null
})

const told = (issues: ReadonlyArray<ProjectIssue>): ReadonlyArray<string> => {
  const [first = issue("", null, ""), ...rest] = issues
  return problemLines(new ProjectError({ issues: [first, ...rest] })).split("\n")
}

const missing = (count: number) =>
  Array.from({ length: count }, (_, index) => issue("t.csv", index + 2, `case "c${index}": input is missing`))

describe("problems of a project", () => {
  it("name three cases of one mistake, and count the others", () => {
    assert.deepStrictEqual(told([issue("t.csv", 1, 'unknown column "inptu"'), ...missing(500)]), [
      't.csv:1:1  unknown column "inptu"',
      't.csv:2:1  case "c0": input is missing',
      't.csv:3:1  case "c1": input is missing',
      't.csv:4:1  case "c2": input is missing',
      "t.csv      the same in 497 further cases"
    ])
    assert.lengthOf(told(missing(3)), 3)
  })

  it("keep different mistakes apart, and those of different files", () => {
    const others = [issue("u.csv", 2, 'case "d": input is missing'), issue("t.csv", 9, 'case "e": weight: too much')]
    assert.lengthOf(told([...missing(4), ...others]), 6)
  })

  it("fill no more than a screen", () => {
    const lines = told(Array.from({ length: 60 }, (_, index) => issue("config.yaml", index + 1, `wrong ${index}`)))
    assert.lengthOf(lines, 41)
    assert.strictEqual(lines.at(-1), "… and 20 more; --json lists all of them")
  })

  it("are those of the command line when flags alone are wrong", () => {
    const flag = issue("--trials", null, "expected a whole number >= 1, got 0")
    assert.strictEqual(problemCount(new ProjectError({ issues: [flag] })), "the command line has 1 problem")
    const both = new ProjectError({ issues: [flag, issue("config.yaml", 1, "x")] })
    assert.strictEqual(problemCount(both), "the project has 2 problems")
  })
})
