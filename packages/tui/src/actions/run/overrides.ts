import type { ProjectOverrides } from "@agent-arena/core/project/Project"
import type * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import type { overrideFlags } from "../../commands/run.ts"

export type OverrideInput = Command.Command.Config.Infer<typeof overrideFlags>

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** The entries that are there. The cast says what the filter does, which the compiler cannot see. */
const defined = <T extends object>(entries: T): Defined<T> =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as Defined<T>

/** `--cache` and `--cache=true` mean the usual folder; anything else is a folder. */
const cacheOf = (value: string | undefined): boolean | string | undefined =>
  value === "true" ? true : value === "false" ? false : value

const some = (values: ReadonlyArray<string>) => (values.length > 0 ? values : undefined)

/** What the flags say about the project; flags that were not given say nothing. */
export const overridesOf = (input: OverrideInput): ProjectOverrides =>
  defined({
    contestants: some(input.contestants),
    ids: some(input.cases),
    tags: some(input.tags),
    excludeTags: some(input.excludeTags),
    trials: Option.getOrUndefined(input.trials),
    concurrency: Option.getOrUndefined(input.concurrency),
    limit: Option.getOrUndefined(input.limit),
    seed: Option.getOrUndefined(input.seed),
    retries: Option.getOrUndefined(input.retries),
    requestTimeoutS: Option.getOrUndefined(input.requestTimeoutS),
    cellTimeoutS: Option.getOrUndefined(input.cellTimeoutS),
    maxWallS: Option.getOrUndefined(input.maxWallS),
    maxRunUsd: Option.getOrUndefined(input.maxRunUsd),
    cache: cacheOf(Option.getOrUndefined(input.cache)),
    record: Option.getOrUndefined(input.record),
    replay: Option.getOrUndefined(input.replay),
    outputDir: Option.getOrUndefined(input.outputDir),
    db: Option.getOrUndefined(input.db),
    failFast: input.failFast ? true : undefined
  })
