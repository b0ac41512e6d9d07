import * as Command from "effect/cli/Command"
import { json, list, optionalInt, projectFlags } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...projectFlags,
  tags: list("tags", "Only cases with one of these tags"),
  excludeTags: list("exclude-tags", "No cases with one of these tags"),
  limit: optionalInt("limit", "At most so many"),
  json
}

export type TestsInput = Command.Command.Config.Infer<typeof flags>

export const tests = Command.make("tests", flags, (input) =>
  lazily(
    () => import("../actions/tests.ts"),
    ({ listTests }) => listTests(input)
  )
).pipe(Command.withDescription("List the cases of a project"))
