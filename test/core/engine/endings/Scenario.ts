/** A random run: who answers how, under which limits, and what is done to the run meanwhile. */
import * as Schema from "effect/Schema"

/** How a target behaves in one cell. */
export const Behaviour = Schema.Literals([
  "instant",
  "wrong",
  "slow",
  "slower",
  "flaky",
  "refused",
  "hangs",
  /** Ignores that it is aborted, and never answers. */
  "deaf",
  /** Ignores that it is aborted, and answers much later. */
  "late",
  "uninterruptible",
  "throws",
  "dies",
  "interruptsItself",
  /** Catches everything that can be caught and goes on. */
  "swallows"
])
export type Behaviour = typeof Behaviour.Type

const Milliseconds = Schema.Literals([1, 120, 600, 1_100, 3_000, 9_000])

const Action = Schema.Union([
  Schema.TaggedStruct("Pass", { ms: Milliseconds }),
  Schema.TaggedStruct("Pass", { ms: Milliseconds }),
  Schema.TaggedStruct("Stop", { reason: Schema.Literals(["cancelled", "interrupted", "deadline", "error: asked"]) }),
  Schema.TaggedStruct("StopNow", { reason: Schema.Literals(["deadline", "interrupted"]) }),
  Schema.TaggedStruct("Pause", {}),
  Schema.TaggedStruct("Resume", {}),
  Schema.TaggedStruct("Cancel", { pick: Schema.Literals([0, 1, 2, 3, 4, 5]) }),
  Schema.TaggedStruct("Close", {})
])
export type Action = typeof Action.Type

/** USD; 0 = off. */
const Budget = Schema.Literals([0, 0, 0, 0.005, 0.025])

export const Scenario = Schema.Struct({
  contestants: Schema.Literals([1, 2, 3]),
  cases: Schema.Literals([1, 2, 4]),
  trials: Schema.Literals([1, 1, 2]),
  behaviours: Schema.Array(Behaviour).check(Schema.isMinLength(1), Schema.isMaxLength(7)),
  concurrency: Schema.Literals([1, 2, 3, 5]),
  retries: Schema.Literals([0, 1, 2]),
  requestTimeoutS: Schema.Literals([0, 0.5, 2]),
  cellTimeoutS: Schema.Literals([0, 1, 5]),
  maxWallS: Schema.Literals([0, 0, 0, 2]),
  drainS: Schema.Literals([0, 0.5, 4]),
  termDrainS: Schema.Literals([0, 0.3, 1]),
  failFast: Schema.Literals([false, false, false, true]),
  maxRunUsd: Budget,
  maxModelUsd: Budget,
  onExceed: Schema.Literals(["stop", "stop", "warn"]),
  hook: Schema.Literals(["none", "none", "none", "prompt", "hangs", "stuck"]),
  actions: Schema.Array(Action).check(Schema.isMaxLength(10)),
  /** Whether the cases want another answer when it is resumed, so that stored ones are scored again. */
  rescored: Schema.Boolean,
  /** What is done to the run when it is resumed. */
  resumed: Schema.Array(Action).check(Schema.isMaxLength(4))
})
export type Scenario = typeof Scenario.Type
