/** A program whose last act is a match in the worker thread: it must end by itself, with the answer. */
import { matchInWorker } from "@agent-arena/core/scoring/RegexWorker"
import * as Effect from "effect/Effect"

const outcome = await Effect.runPromise(matchInWorker({ source: "a+", flags: "v", text: "aaa", limitMs: 1_000 }))
process.stdout.write(`${outcome._tag === "Matched" && outcome.match?.captured === "aaa"}\n`)
