import * as Message from "@agent-arena/core/domain/Message"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import { columnFormat, plural } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { lines } from "@agent-arena/core/report/TextTable"
import { clip } from "@agent-arena/core/report/TextWidth"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TestsInput } from "../commands/tests.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"

const scorersOf = (testCase: TestCase): string => testCase.scorers.map(({ type }) => type).join("+")

const weightFormat = columnFormat("weight")

const toJson = (testCase: TestCase) => ({
  test_id: testCase.id,
  eval_type: scorersOf(testCase),
  tags: testCase.tags,
  weight: testCase.weight,
  input: Message.toPrompt(testCase.messages),
  has_reference: testCase.reference !== undefined,
  file: testCase.position.file,
  line: testCase.position.line
})

/** Longest piece of a prompt that a list shows. */
const promptShown = 80

/** `arena tests`. */
export const listTests = Effect.fn("arena.tests")(function* (input: TestsInput) {
  const { stdout } = yield* Output
  const project = yield* loadProject(input, {
    ...(input.tags.length > 0 ? { tags: input.tags } : {}),
    ...(input.excludeTags.length > 0 ? { excludeTags: input.excludeTags } : {}),
    ...(Option.isSome(input.limit) ? { limit: input.limit.value } : {})
  })
  if (input.json) {
    const document = { schema_version: 1, project: project.name, tests: project.cases.map(toJson) }
    return yield* stdout.write(`${stringify(document, 2)}\n`)
  }
  const { style } = stdout
  const table = lines(
    [
      { heading: "case", min: 10 },
      { heading: "scorer", drop: 1 },
      { heading: "weight", align: "right", drop: 3 },
      { heading: "tags", min: 6, drop: 2 },
      { heading: "input", min: 10 }
    ],
    project.cases.map((testCase) => [
      testCase.id,
      scorersOf(testCase),
      weightFormat(testCase.weight),
      { text: testCase.tags.join(", "), emphasis: style.accent },
      { text: clip(sanitiseLine(Message.toPrompt(testCase.messages)), promptShown), emphasis: style.dim }
    ]),
    { width: stdout.columns, style }
  )
  yield* stdout.write(`${[...table, "", plural(project.cases.length, "case")].join("\n")}\n`)
}, Effect.provide(engine))
