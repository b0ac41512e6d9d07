import type { ContestantDrift, MeasureDrift } from "./Drift.ts"

/** Points of a hundred with a sign: 0.123 is `+12.3`. */
const points = (value: number): string => {
  const text = (value * 100).toFixed(1)
  return value > 0 && text !== "0.0" ? `+${text}` : text === "-0.0" ? "0.0" : text
}

const change = ({ difference, measure, sharedCases }: MeasureDrift): string => {
  if (difference === null) return `${measure} cannot be compared (${sharedCases} shared cases)`
  const { high, low, point } = difference
  return `${measure} ${points(point)} points (${points(low)} to ${points(high)})`
}

const noBaseline: Readonly<Record<"first" | "changed", string>> = {
  first: "no comparable run has finished before",
  changed: "it is another contestant than in the runs before: model, prompt, module or price has changed"
}

/** What the watch has found of one contestant, in one sentence. */
export const driftSentence = (drift: ContestantDrift): string => {
  const { baselineRuns, key, measures, previousStatus, reason, status, statusChanged, verdict } = drift
  if (verdict === "no_baseline") return `${key}: nothing to compare with, ${noBaseline[reason ?? "first"]}`
  if (verdict === "not_measured") {
    return `${key} was not measured${statusChanged ? `; before it was ${previousStatus}` : ""}`
  }
  const against = `against ${baselineRuns.length === 1 ? "1 run" : `${baselineRuns.length} runs`} before`
  const moved = measures.filter((measure) => measure.verdict === verdict)
  const found = {
    drifted: `has drifted: ${moved.map(change).join(", ")}`,
    unclear: `may have drifted, but chance explains it as well: ${moved.map(change).join(", ")}`,
    stable: `is stable: ${moved.map(change).join(", ")}`,
    too_few_cases: "has too few shared cases to tell drift from chance"
  }[verdict]
  const was = statusChanged ? `; it was ${previousStatus}, it is ${status}` : ""
  return `${key} ${found}${was} (${against})`
}
