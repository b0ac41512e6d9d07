import * as Option from "effect/Option"
import type { RunInput } from "../../commands/run.ts"
import { quoted } from "../shellWord.ts"

/** The command that runs the same again. */
export const reproduce = (input: RunInput): string => {
  const { project, projectFlag } = input
  const values: ReadonlyArray<readonly [string, Option.Option<string | number>]> = [
    ["--contestants", list(input.contestants)],
    ["--cases", list(input.cases)],
    ["--tags", list(input.tags)],
    ["--exclude-tags", list(input.excludeTags)],
    ["--limit", input.limit],
    ["--trials", input.trials],
    ["--concurrency", input.concurrency],
    ["--seed", input.seed],
    ["--retries", input.retries],
    ["--request-timeout-s", input.requestTimeoutS],
    ["--cell-timeout-s", input.cellTimeoutS],
    ["--max-wall-s", input.maxWallS],
    ["--max-run-usd", input.maxRunUsd],
    ["--record", input.record],
    ["--replay", input.replay]
  ]
  const flags = values.flatMap(([flag, value]) =>
    Option.isSome(value) ? [`${flag} ${quoted(String(value.value))}`] : []
  )
  const path = Option.getOrElse(
    Option.orElse(project, () => projectFlag),
    () => "."
  )
  const cache = Option.match(input.cache, {
    onNone: () => [],
    onSome: (folder) => [folder === "true" ? "--cache" : quoted(`--cache=${folder}`)]
  })
  return ["arena run", quoted(path), ...flags, ...cache, ...(input.failFast ? ["--fail-fast"] : [])].join(" ")
}

const list = (values: ReadonlyArray<string>): Option.Option<string> =>
  values.length === 0 ? Option.none() : Option.some(values.join(","))
