import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import {
  Fail,
  Failed,
  Partial,
  Pass,
  Queued,
  Running,
  stateName,
  TimedOut
} from "@agent-arena/tui/src/app/run/CellState.ts"
import { finishedCells, fold } from "@agent-arena/tui/src/app/run/Fold.ts"
import { cellAt, cellIndex, countOf, makeRunModel, type RunModel } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeRules } from "../simulation/Rules.ts"
import { type SimulationOptions, simulatedEvents, simulatedRunId } from "../simulation/SimulatedRun.ts"

const options: SimulationOptions = {
  contestants: 4,
  cases: 25,
  trials: 3,
  seed: 11,
  concurrency: 8,
  stepMs: 20,
  startedAt: 1000
}

const modelOf = (shape: SimulationOptions = options): RunModel =>
  makeRunModel({ id: simulatedRunId, project: "p", rules: makeRules(shape), startedAt: shape.startedAt })

const folded = (events: Iterable<RunEvent>): RunModel => {
  const model = modelOf()
  for (const event of events) fold(model, event)
  return model
}

/** Counts made anew from the cells: what the running totals must always say. */
const recount = (model: RunModel): ReadonlyArray<number> => {
  const counts = new Array<number>(model.total.byState.length).fill(0)
  for (const state of model.states) counts[state & 15] = (counts[state & 15] ?? 0) + 1
  return counts
}

describe("folding run events", () => {
  it("keeps its totals equal to the cells after every event", () => {
    const model = modelOf()
    let seen = 0
    for (const event of simulatedEvents(options)) {
      fold(model, event)
      if (seen++ % 37 === 0) expect([...model.total.byState]).toEqual(recount(model))
    }
    expect([...model.total.byState]).toEqual(recount(model))
    const own = model.contestants.map(({ tally }) => countOf(tally, Pass))
    expect(own.reduce((a, b) => a + b, 0)).toBe(countOf(model.total, Pass))
  })

  it("tells every outcome of a finished run", () => {
    const model = folded(simulatedEvents(options))
    expect(finishedCells(model.total)).toBe(300)
    expect(countOf(model.total, Queued)).toBe(0)
    expect(countOf(model.total, Running)).toBe(0)
    expect(model.phase).toBe("finished")
    expect(model.ending).toEqual({ status: "completed", stopReason: "completed" })
    for (const state of [Pass, Partial, Fail]) expect(countOf(model.total, state)).toBeGreaterThan(0)
    expect(model.log.counts.error).toBe(countOf(model.total, Failed) + countOf(model.total, TimedOut))
  })

  it("shows cells in flight between start and finish", () => {
    const model = modelOf()
    let flying = 0
    for (const event of simulatedEvents(options)) {
      fold(model, event)
      if (event._tag === "CellStarted") flying += 1
      if (event._tag === "CellFinished") flying -= 1
      expect(countOf(model.total, Running)).toBe(flying)
    }
  })

  it("changes nothing when events come twice", () => {
    const events = [...simulatedEvents(options)]
    const once = folded(events)
    const twice = folded([...events, ...events])
    expect([...twice.states]).toEqual([...once.states])
    expect(twice.total.costUsd).toBe(once.total.costUsd)
    expect(twice.total.scored).toBe(once.total.scored)
  })

  it("notices lost events and ends right without them", () => {
    const events = [...simulatedEvents(options)].filter(({ seq }) => seq % 10 !== 0 || seq === 1)
    const model = folded(events)
    const lost = Math.floor((events.at(-1)?.seq ?? 0) / 10)
    expect(model.gaps).toBe(lost)
    expect(model.log.missed).toBe(lost)
    expect([...model.total.byState]).toEqual(recount(model))
  })

  it("ignores cells that the run does not know", () => {
    const model = modelOf()
    for (const event of simulatedEvents({ ...options, cases: 60, contestants: 6, trials: 5 })) fold(model, event)
    expect([...model.total.byState]).toEqual(recount(model))
    expect(finishedCells(model.total)).toBe(300)
  })

  it("finds cells by position and positions by cell", () => {
    const model = modelOf()
    fc.assert(
      fc.property(fc.nat(24), fc.nat(3), fc.integer({ min: 1, max: 3 }), (caseIndex, contestant, trial) => {
        expect(cellAt(model, cellIndex(model, caseIndex, contestant, trial))).toEqual({ caseIndex, contestant, trial })
      })
    )
  })

  it("counts skipped contestants as skipped, not as planned", () => {
    const rules = makeRules(options)
    const [first, ...rest] = rules.contestants
    if (first === undefined) throw new Error("no contestant")
    const model = makeRunModel({
      id: "r",
      project: "p",
      startedAt: 0,
      rules: { ...rules, contestants: [{ ...first, skipped: "no key" }, ...rest] }
    })
    expect(model.planned).toBe(225)
    expect(stateName(model.states[0] ?? 0)).toBe("skipped")
  })
})
