/** A person grades answers one by one. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import { sanitise, sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { NewScore } from "@agent-arena/core/store/Regrade"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OutputChannel } from "../../process/Output.ts"
import type { ProjectStores } from "../projectStores.ts"
import { readScore } from "./gradeFile.ts"
import type { Item } from "./items.ts"
import { textsOf } from "./texts.ts"
import { undoGrades, writeGrades } from "./writing.ts"

/** What a person types at an answer. */
export type Reply =
  | { readonly _tag: "Grade"; readonly score: number; readonly reason: string }
  | { readonly _tag: "Skip" | "Undo" | "Quit" }

export const keys = "p pass, f fail, 0..1, s skip, u undo, q quit; words after a grade are its reason"

/** Reads a reply: `p`, `0.5 right but rude`, `u`; null when it is none. */
export const readReply = (line: string): Reply | null => {
  const [, word = "", reason = ""] = /^\s*(\S+)\s*(.*?)\s*$/su.exec(line) ?? []
  switch (word.toLowerCase()) {
    case "s":
    case "skip":
      return { _tag: "Skip" }
    case "u":
    case "undo":
      return { _tag: "Undo" }
    case "q":
    case "quit":
      return { _tag: "Quit" }
    default: {
      const score = word === "" ? null : readScore(word)
      return score === null ? null : { _tag: "Grade", score, reason }
    }
  }
}

/** Who grades what. */
export interface Session {
  readonly project: Project
  readonly stores: ProjectStores
  readonly run: RunRecord
  readonly items: ReadonlyArray<Item>
  readonly by: string
  /** Whether contestants are shown. */
  readonly open: boolean
  readonly screen: OutputChannel
  /** Asks for a reply; null = the person has left. */
  readonly ask: Effect.Effect<Reply | null>
}

const block = ({ style }: OutputChannel, title: string, text: string): string =>
  text === "" ? "" : `${style.dim(title)}\n${sanitise(text).replaceAll(/^/gm, "  ")}\n`

const show = Effect.fnUntraced(function* ({ items, open, project, run, screen, stores }: Session, at: number) {
  const item = items[at]
  const [first] = item?.cells ?? []
  if (item === undefined || first === undefined) return
  const result = yield* stores.store.result(run.runId, first)
  const { expected, question, rubric } = textsOf(project, item.caseId)
  const who = open ? `  ${item.cells.map(({ contestant, trial }) => `${contestant} (trial ${trial})`).join(", ")}` : ""
  const same = item.cells.length > 1 ? `  ${item.cells.length} equal answers` : ""
  const title = `${at + 1} of ${items.length}  ${item.caseId}${same}${who}`
  yield* screen.write(
    [
      `\n${screen.style.bold(sanitiseLine(title))}\n`,
      block(screen, "question", question),
      block(screen, "expected", expected),
      block(screen, "look at", rubric),
      block(screen, "answer", result?.output ?? "")
    ].join("")
  )
})

/** Goes through the items; every grade is durable before the next is shown. Returns how many answers have a new grade. */
export const gradeAll = (session: Session): Effect.Effect<number, StoreError> =>
  Effect.gen(function* () {
    const { ask, by, items, run, screen, stores } = session
    const steps: Array<{ readonly at: number; readonly changes: ReadonlyArray<NewScore> }> = []
    for (let at = 0; at < items.length; ) {
      yield* show(session, at)
      const reply = yield* ask
      if (reply === null || reply._tag === "Quit") break
      if (reply._tag === "Undo") {
        const last = steps.pop()
        if (last === undefined) yield* screen.write("nothing to undo\n")
        else yield* undoGrades(stores, run, last.changes)
        at = last?.at ?? at
        continue
      }
      if (reply._tag === "Grade") {
        const grade = {
          score: reply.score,
          reason: reply.reason,
          by,
          at: new Date(yield* Clock.currentTimeMillis).toISOString()
        }
        const changes = yield* writeGrades(stores, run, [{ cells: items[at]?.cells ?? [], grade }])
        steps.push({ at, changes })
      } else steps.push({ at, changes: [] })
      at += 1
    }
    return steps.reduce((sum, { changes }) => sum + changes.length, 0)
  })
