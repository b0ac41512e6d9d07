/** The folder of a turn, and what a check finds there. */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { CellContext, ScenarioTurn } from "../../domain/Generation.ts"
import { materialiseTrace, traceText } from "../trace/MaterialiseTrace.ts"
import { fault, type Session } from "./Session.ts"

/** `<workspace of the play>/turn_<M>`; null = the play has no workspace. */
export const turnFolder = ({ context, live }: Session): string | null =>
  context.workspace === null ? null : join(context.workspace, `turn_${live.turn}`)

/** Makes the folder of the turn. When that fails the turn goes on, with a soft fault. */
export const openTurn = (session: Session, folder: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.tryPromise({
      try: () => mkdir(folder, { recursive: true }),
      catch: (cause) => fault(session, "workspace", folder, cause instanceof Error ? cause.message : String(cause))
    })
  )

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

/** What a scorer of the project is told of the turn: a conversation longer than the threshold is also in a file. */
export const cellOfCheck = (session: Session): Effect.Effect<CellContext> => {
  const { context, live, log } = session
  const folder = turnFolder(session)
  const trace = traceText(log)
  const told = (traceFile: string | null): CellContext => {
    const scenario: ScenarioTurn = { node: live.currentNode, turn: live.turn, workspace: folder, trace, traceFile }
    return { ...context.cell, scenario }
  }
  return folder === null || trace.length <= context.traceThreshold
    ? Effect.succeed(told(null))
    : Effect.map(written(session, folder), told)
}
