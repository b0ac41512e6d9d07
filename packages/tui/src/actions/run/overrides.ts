import type { ProjectOverrides } from "@agent-arena/core/project/Project"
import type * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import type { overrideFlags } from "../../commands/run.ts"

export type OverrideInput = Command.Command.Config.Infer<typeof overrideFlags>

const given = <K extends string, A>(key: K, value: Option.Option<A>): Partial<Record<K, A>> =>
  Option.isSome(value) ? ({ [key]: value.value } as Partial<Record<K, A>>) : {}

const some = <K extends string>(key: K, value: ReadonlyArray<string>): Partial<Record<K, ReadonlyArray<string>>> =>
  value.length > 0 ? ({ [key]: value } as Partial<Record<K, ReadonlyArray<string>>>) : {}

/** What the flags say about the project; flags that were not given say nothing. */
export const overridesOf = (input: OverrideInput): ProjectOverrides => ({
  ...some("contestants", input.contestants),
  ...some("ids", input.cases),
  ...some("tags", input.tags),
  ...some("excludeTags", input.excludeTags),
  ...given("trials", input.trials),
  ...given("concurrency", input.concurrency),
  ...given("limit", input.limit),
  ...given("seed", input.seed),
  ...given("retries", input.retries),
  ...given("requestTimeoutS", input.requestTimeoutS),
  ...given("cellTimeoutS", input.cellTimeoutS),
  ...given("maxWallS", input.maxWallS),
  ...given("maxRunUsd", input.maxRunUsd),
  ...given("outputDir", input.outputDir),
  ...given("db", input.db),
  ...(input.failFast ? { failFast: true } : {})
})
