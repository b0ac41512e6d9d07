import type { Project } from "@agent-arena/core/domain/Project"
import { Arena } from "@agent-arena/core/engine/Arena"
import { estimate } from "@agent-arena/core/engine/Estimate"
import { spend } from "@agent-arena/core/report/Figures"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { CommandError } from "../../process/Failure.ts"
import { Output } from "../../process/Output.ts"

const refuse = (message: string, suggestion: string) => new CommandError({ kind: "confirmation", message, suggestion })

/** Asks before a run that may cost more than `budgets.confirm_above_usd`; without a terminal it refuses unless told `--yes`. */
export const confirmSpend = Effect.fnUntraced(function* (project: Project, yes: boolean) {
  const limit = project.budgets.confirmAboveUsd
  if (limit === null || yes) return
  const { totalUsd } = estimate(project, yield* Arena.check(project))
  if (totalUsd === null || totalUsd <= limit) return
  const cost = `this run may cost up to ${spend(totalUsd)}, more than budgets.confirm_above_usd (${spend(limit)})`
  const { stdout } = yield* Output
  if (!stdout.isTerminal || process.stdin.isTTY !== true) return yield* refuse(cost, "--yes to run it all the same")
  if (!(yield* Prompt.run(Prompt.Confirm({ message: `${cost}. Run it?`, initial: false })))) {
    return yield* refuse("not confirmed; nothing was run", "--max-run-usd stops a run at a price")
  }
})
