/** The folder of a turn, and what a check finds there. */
import { hash } from "node:crypto"
import { cp, mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { CellContext, ScenarioTurn } from "../../domain/Generation.ts"
import type { ScenarioResult } from "../model/Turn.ts"
import { materialiseTrace, safeName, traceText } from "../trace/MaterialiseTrace.ts"
import type { TurnAnswer } from "./PlayContext.ts"
import { fault, type Session } from "./Session.ts"

/**
 * The folder of a scenario, a contestant or a judge. Punctuation gives way to `_`; names in other scripts would all give
 * way to the same, so theirs have a digest behind them: plays in one folder would find each other's files.
 */
export const folderName = (name: string): string =>
  /^[\x20-\x7e]*$/.test(name) ? safeName(name) : `${safeName(name)}-${hash("sha256", name, "hex").slice(0, 8)}`

/** `<workspace of the play>/turn_<M>`. */
export const folderOfTurn = (workspace: string, turn: number): string => join(workspace, `turn_${turn}`)

/** The folder of the turn that is played; null = the play has no workspace. */
export const turnFolder = ({ context, live }: Session): string | null =>
  context.workspace === null ? null : folderOfTurn(context.workspace, live.turn)

/** Removes the workspace of a play that has ended by itself or at a limit; one that can be gone on with keeps it. */
export const removeEnded = (workspace: string, { status }: Pick<ScenarioResult, "status">): Effect.Effect<void> =>
  status === "completed" || status === "limit_reached"
    ? Effect.ignore(Effect.tryPromise(() => rm(workspace, { recursive: true, force: true })))
    : Effect.void

/** Makes the folder of the turn. When that fails the turn goes on, with a soft fault. */
export const openTurn = (session: Session, folder: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.tryPromise({
      try: () => mkdir(folder, { recursive: true }),
      catch: (cause) => fault(session, "workspace", folder, cause instanceof Error ? cause.message : String(cause))
    })
  )

/** Brings the files that a shared answer was made with into the folder of this turn; failing, the turn has a soft fault. */
export const takeFiles = (session: Session, { workspace }: Pick<TurnAnswer, "workspace">): Effect.Effect<void> => {
  const folder = turnFolder(session)
  if (workspace === undefined || folder === null || folder === workspace) return Effect.void
  return Effect.ignore(
    Effect.tryPromise({
      try: () => cp(workspace, folder, { recursive: true }),
      catch: (cause) => fault(session, "workspace", folder, cause instanceof Error ? cause.message : String(cause))
    })
  )
}

const written = (session: Session, folder: string): Effect.Effect<string | null> => {
  const { context, live, log } = session
  const { traceThreshold: threshold } = context
  const request = { folder, id: `${live.currentNode}_check`, turn: live.turn, log, threshold }
  return Effect.catch(materialiseTrace(request), (error) =>
    Effect.sync(() => {
      fault(session, "workspace", error.path, error.message)
      return null
    })
  )
}

/** The cell as a check of this turn sees it; whom it calls works on the same turn. */
export const onTurn = (cell: CellContext, scenario: ScenarioTurn): CellContext => ({
  ...cell,
  scenario,
  generate: (name, request) => cell.generate(name, { scenario, ...request })
})

/** What a scorer of the project is told of the turn: a conversation longer than the threshold is also in a file. */
export const cellOfCheck = (session: Session): Effect.Effect<CellContext> => {
  const { context, live, log } = session
  const folder = turnFolder(session)
  const trace = traceText(log)
  const told = (traceFile: string | null): CellContext => {
    const scenario: ScenarioTurn = { node: live.currentNode, turn: live.turn, workspace: folder, trace, traceFile }
    return onTurn(context.cell, scenario)
  }
  return folder === null || trace.length <= context.traceThreshold
    ? Effect.succeed(told(null))
    : Effect.map(written(session, folder), told)
}
