/** The one line that says in a log how far a run is. */
import { count, duration, spend, unknown } from "@agent-arena/core/report/Figures"
import { Failed, Interrupted, Running, TimedOut } from "../app/run/CellState.ts"
import { finishedCells } from "../app/run/Fold.ts"
import { countOf, type RunModel } from "../app/run/RunModel.ts"
import { rate, remainingMs } from "../app/run/Throughput.ts"

const perSecond = (rate: number): string => `${rate >= 10 ? count(rate) : rate.toFixed(1)}/s`

const phases: Readonly<Record<RunModel["phase"], string>> = {
  running: "",
  paused: "paused",
  stopping: "stopping, waiting for calls in flight",
  finished: "finished"
}

/** Cells that have an outcome of whatever kind. */
const settled = ({ total }: RunModel): number => finishedCells(total) + countOf(total, Interrupted)

/** Never says 100 % before everything is done. */
const percentage = (model: RunModel): string =>
  `${model.planned === 0 ? 100 : Math.floor((settled(model) / model.planned) * 100)}%`

const remaining = (ms: number | null): string => (ms === null ? unknown : ms < 1000 ? "< 1 s" : duration(ms))

const facts = (model: RunModel, now: number): ReadonlyArray<string> => {
  const { phase, retries, throughput, total } = model
  const pace = phase === "running" ? rate(throughput, now, finishedCells(total)) : null
  const counted = (number: number, word: string) => (number > 0 ? [`${count(number)} ${word}`] : [])
  return [
    `${count(settled(model))}/${count(model.planned)}`,
    ...(pace === null ? [] : [perSecond(pace)]),
    ...(phase === "running" ? [`ETA ${remaining(remainingMs(pace, model.planned - settled(model)))}`] : []),
    ...(total.priced === 0 || total.costUsd === 0 ? [] : [spend(total.costUsd)]),
    ...counted(countOf(total, Failed), "failed"),
    ...counted(countOf(total, TimedOut), "timed out"),
    ...counted(retries, "retried"),
    ...counted(model.inFlight ?? countOf(total, Running), "in flight"),
    ...(phases[phase] === "" ? [] : [phases[phase]])
  ]
}

/** Everything, after how long the run has been going on. */
export const logLine = (model: RunModel, now: number): string =>
  `${duration(now - model.startedAt)}: ${percentage(model)} ${facts(model, now).join(", ")}`
