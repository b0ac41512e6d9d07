/** One step of a path: a key of an object, or an index of a list. */
type Step = string | number

const step = /(?:^|\.)([^.[\]]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/y

/** Reads a dotted path (`choices[0].message.content`, `items.0.text`, `a["b.c"]`); null when it is not one. */
export const parsePath = (text: string): ReadonlyArray<Step> | null => {
  const path = text.trim().replace(/^\$\.?/, "")
  const steps: Array<Step> = []
  step.lastIndex = 0
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (match === null) return null
    const [, name, index, double, single] = match
    steps.push(index === undefined ? (name ?? double ?? single ?? "") : Number(index))
  }
  return steps
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** What stands at a path; undefined when there is nothing. A numeric name is an index where there is a list. */
export const valueAt = (value: unknown, path: ReadonlyArray<Step>): unknown => {
  let current = value
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}
