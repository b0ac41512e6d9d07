/** A run that goes on, followed for whoever shows it: the same model as the full screen has. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { liveSource } from "../app/arena/LiveSource.ts"
import { makeOpenRun, type OpenRun } from "../app/run/OpenRun.ts"
import { refusal } from "../app/run/RunSource.ts"
import { follow } from "../app/runtime/Follow.ts"
import { makeRemarks, type Remarks } from "./Remarks.ts"

export interface Watched {
  readonly run: OpenRun
  readonly remarks: Remarks
}

const noRecords = Effect.fail(refusal("nobody looks into records here"))

/** Follows the run until the scope closes. */
export const watch = (handle: RunHandle, project: Project): Effect.Effect<Watched, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = makeOpenRun(yield* liveSource(project, handle, noRecords))
    const remarks = makeRemarks(run.source.facts)
    const { heard, seen } = remarks
    // It has been going on for a while, and may be stopping already.
    const whole = yield* handle.snapshot
    if (whole.phase !== "finished") run.model.phase = whole.phase
    seen(whole)
    const following = follow(run, () => undefined, { heard, seen })
    yield* Effect.forkScoped(Effect.ignore(following))
    return { run, remarks }
  })
