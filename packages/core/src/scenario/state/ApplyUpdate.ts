import { Fault, named, numberOf } from "../condition/Compared.ts"
import { type ConditionView, holds } from "../condition/EvaluateCondition.ts"
import type { StateUpdate } from "./StateUpdate.ts"
import { templateOf } from "./Template.ts"

type Values = Readonly<Record<string, unknown>>

/** Calls a function of the project with the state and the parsed fields; returns the new state or what went wrong. */
export type CallUpdate = (name: string, accumulated: Values) => unknown

const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Texts inside a value are templates. */
const filled = (value: unknown, view: ConditionView, missing: Array<string>): unknown => {
  if (typeof value === "string") return templateOf(value).value(view.resolve, (path) => missing.push(path))
  if (Array.isArray(value)) return value.map((item) => filled(item, view, missing))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, view, missing)]))
}

const combined = (tag: "Set" | "Add" | "Append" | "Merge", before: unknown, value: unknown): unknown => {
  switch (tag) {
    case "Set":
      return value
    case "Add": {
      const [sum, more] = [before === undefined ? 0 : numberOf(before), numberOf(value)]
      if (sum === null) return new Fault(`cannot add to ${named(before)}`)
      return more === null ? new Fault(`cannot add ${named(value)}`) : sum + more
    }
    case "Append":
      if (before !== undefined && !Array.isArray(before)) return new Fault(`cannot append to ${named(before)}`)
      return [...(before ?? []), value]
    case "Merge":
      if (before !== undefined && !isRecord(before)) return new Fault(`cannot merge into ${named(before)}`)
      return isRecord(value) ? { ...before, ...value } : new Fault(`cannot merge ${named(value)}`)
  }
}

const applyOne = (update: StateUpdate, state: Values, view: ConditionView, call: CallUpdate): Values | Fault => {
  if (update._tag === "Function") {
    const changed = call(update.function, structuredClone(state))
    if (changed instanceof Fault) return changed
    return isRecord(changed) ? changed : new Fault(`${update.function} returned ${named(changed)} instead of a mapping`)
  }
  const next: Record<string, unknown> = { ...state }
  for (const [name, template] of Object.entries(update.values)) {
    const missing: Array<string> = []
    const value = filled(template, view, missing)
    if (missing.length > 0) return new Fault(`${name}: there is no value at ${missing.join(", ")}`)
    const result = combined(update._tag, next[name], value)
    if (result instanceof Fault) return new Fault(`${name}: ${result.message}`)
    next[name] = result
  }
  return next
}

/** The state after all updates of a node; a fault = none of them was made. Each sees what those before it did. */
export const applyUpdates = (
  updates: ReadonlyArray<StateUpdate>,
  state: Values,
  viewOf: (accumulated: Values) => ConditionView,
  call: CallUpdate
): Values | Fault => {
  let next = state
  for (const update of updates) {
    const view = viewOf(next)
    if (update.when !== null && !holds(update.when, view)) continue
    const applied = applyOne(update, next, view, call)
    if (applied instanceof Fault) return applied
    next = applied
  }
  return next
}
