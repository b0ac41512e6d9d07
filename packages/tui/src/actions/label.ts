import type { Notes } from "@agent-arena/core/store/RunShelf"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LabelInput } from "../commands/label.ts"
import { CommandError } from "../process/Failure.ts"
import { engine } from "./engine.ts"
import { tell, theRun } from "./theRun.ts"

const nothing = new CommandError({
  kind: "usage",
  message: "nothing to write on the run",
  suggestion: "give --label, --notes or --tags"
})

/** An empty text takes the note away. */
const orNull = (text: string): string | null => (text === "" ? null : text)

const notesOf = ({ label, notes, tags }: LabelInput): Notes => ({
  ...(Option.isSome(label) ? { label: orNull(label.value) } : {}),
  ...(Option.isSome(notes) ? { notes: orNull(notes.value) } : {}),
  ...(Option.isSome(tags) ? { tags: tags.value } : {})
})

/** `arena label`. */
export const labelRun = (input: LabelInput) =>
  Effect.gen(function* () {
    const notes = notesOf(input)
    if (Object.keys(notes).length === 0) return yield* nothing
    const { run, stores } = yield* theRun(input)
    yield* stores.shelf.note(run.runId, notes)
    const what = Object.keys(notes).join(", ")
    yield* tell(input.json, `${run.runId}: ${what} written`, { run_id: run.runId, ...notes })
  }).pipe(Effect.scoped, Effect.provide(engine))
