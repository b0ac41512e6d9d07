import type { Project } from "@agent-arena/core/domain/Project"
import { Arena } from "@agent-arena/core/engine/Arena"
import type { ContestantReadiness, Readiness } from "@agent-arena/core/engine/Readiness"
import { plural } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { Style } from "@agent-arena/core/report/Style"
import * as Effect from "effect/Effect"
import type { ValidateInput } from "../commands/validate.ts"
import { ExitStatus } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"
import { warningLine } from "./warningLine.ts"

const prices: Readonly<Record<string, string>> = {
  true: "",
  false: ", no price known",
  null: ", price known from its answers only"
}

const contestantLine = ({ key, model, priced, provider, skipped }: ContestantReadiness, style: Style): string => {
  const name = sanitiseLine(key)
  return skipped === null
    ? `${style.good("✓")} ${name}  ${style.dim(sanitiseLine(`${model}, ${provider}${prices[String(priced)] ?? ""}`))}`
    : `${style.warn("!")} ${name}  would be skipped: ${sanitiseLine(skipped)}`
}

const scorersOf = (project: Project): string =>
  [...new Set(project.cases.flatMap(({ scorers }) => scorers.map(({ type }) => type)))].toSorted().join(", ")

const render = (project: Project, readiness: Readiness, style: Style): string => {
  const skipped = readiness.contestants.filter((one) => one.skipped !== null).length
  const ready = readiness.contestants.length - skipped
  return [
    `${style.good("✓")} ${sanitiseLine(project.configFile)}`,
    `${style.good("✓")} ${plural(readiness.cases, "case")}, scored by ${sanitiseLine(scorersOf(project))}`,
    ...readiness.contestants.map((one) => contestantLine(one, style)),
    ...readiness.warnings.map((issue) => warningLine(issue, style)),
    "",
    `${plural(ready, "contestant")} ready${skipped > 0 ? `, ${skipped} would be skipped` : ""}; ${plural(readiness.planned, "cell")} planned`,
    ""
  ].join("\n")
}

const toJson = (project: Project, readiness: Readiness, valid: boolean): string =>
  `${stringify(
    {
      schema_version: 1,
      valid,
      project: project.name,
      config_file: project.configFile,
      n_tests: readiness.cases,
      trials: readiness.trials,
      planned: readiness.planned,
      contestants: readiness.contestants.map(({ key, label, model, priced, provider, skipped }) => ({
        key,
        display: label,
        model,
        provider,
        skipped,
        priced
      })),
      warnings: readiness.warnings.map(({ message, position, suggestion }) => ({ ...position, message, suggestion }))
    },
    2
  )}\n`

/** `arena validate`. */
export const validateProject = (input: ValidateInput) =>
  Effect.gen(function* () {
    const { stdout } = yield* Output
    const project = yield* loadProject(input)
    const readiness = yield* Arena.check(project)
    const valid = !input.strict || readiness.contestants.every(({ skipped }) => skipped === null)
    yield* stdout.write(input.json ? toJson(project, readiness, valid) : render(project, readiness, stdout.style))
    if (!valid) return yield* new ExitStatus({ code: 1 })
  }).pipe(Effect.provide(engine))
